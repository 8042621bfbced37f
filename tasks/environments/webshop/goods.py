"""What the catalogue holds: kinds of goods, their features and options, and brands."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of goods.

    Attributes:
        price: usual price, in dollars.
        features: what a page may say of it; no title does.
        options: what can be chosen, by name.
    """

    name: str
    price: int
    features: tuple[str, ...]
    options: tuple[tuple[str, tuple[str, ...]], ...]


_COLOURS = ("colour", ("black", "blue", "green", "red", "white"))
_SIZES = ("size", ("small", "medium", "large"))
_LENGTHS = ("length", ("short", "regular", "long"))

KINDS: tuple[Kind, ...] = (
    Kind(
        "trail backpack", 70, ("waterproof", "padded", "foldable", "lockable"), (_COLOURS, _SIZES)
    ),
    Kind("rain jacket", 90, ("windproof", "lined", "reflective", "hooded"), (_COLOURS, _SIZES)),
    Kind(
        "desk lamp", 40, ("dimmable", "rechargeable", "foldable", "weighted"), (_COLOURS, _LENGTHS)
    ),
    Kind("yoga mat", 30, ("washable", "odourless", "ribbed", "recycled"), (_COLOURS, _LENGTHS)),
    Kind(
        "travel mug", 25, ("leakproof", "insulated", "unbreakable", "stackable"), (_COLOURS, _SIZES)
    ),
    Kind(
        "phone case", 18, ("shockproof", "magnetic", "transparent", "washable"), (_COLOURS, _SIZES)
    ),
    Kind(
        "kitchen apron",
        22,
        ("washable", "quilted", "stainproof", "reversible"),
        (_COLOURS, _LENGTHS),
    ),
    Kind("running belt", 28, ("reflective", "elastic", "waterproof", "lined"), (_COLOURS, _SIZES)),
    Kind(
        "bath towel",
        35,
        ("quick-drying", "hypoallergenic", "quilted", "organic"),
        (_COLOURS, _SIZES),
    ),
    Kind("garden glove", 15, ("thornproof", "breathable", "washable", "lined"), (_COLOURS, _SIZES)),
)
BRANDS = (
    *("Alvento", "Brisko", "Corvina", "Deltona", "Elvaro", "Fjordal", "Gravano", "Hestia"),
    *("Istrova", "Jundra", "Kelvano", "Lumora", "Mistral", "Norvale", "Ostara", "Pellano"),
)
SERIES = ("Classic", "Nova", "Peak", "Prime", "Ridge", "Studio", "Terra", "Urban", "Vista", "Zen")
_OTHER_KINDS = (
    *("city rucksack", "storm parka", "reading light", "gym rug", "thermos cup", "tablet sleeve"),
    *("chef smock", "fitness pouch", "beach cloth", "work mitten"),
)
_OTHER_BRANDS = (
    *("Arvendo", "Belluno", "Cascada", "Dorvik", "Estrella", "Faroese", "Galenta", "Horizona"),
    *("Ilvento", "Jarano", "Kasteel", "Lorvin", "Mandrino", "Nimbra", "Orvento", "Pontera"),
)
SKINS: dict[str, str] = {
    **dict(zip((kind.name for kind in KINDS), _OTHER_KINDS, strict=True)),
    **dict(zip(BRANDS, _OTHER_BRANDS, strict=True)),
}
"""Other names of kinds and brands, for tasks whose entities are renamed; no task draws them."""
