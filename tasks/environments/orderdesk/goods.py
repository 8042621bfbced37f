"""What the shop sells and what its customers are called, with the names of other skins."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Product:
    """A product.

    Attributes:
        price: price of its cheapest version, in dollars.
        options: in what its versions differ.
    """

    name: str
    price: int
    options: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


_COLOURS = ("black", "white", "green", "blue", "red", "grey")


def _product(name: str, price: int, option: str, *values: str) -> Product:
    return Product(name, price, {"colour": _COLOURS, option: values})


PRODUCTS: tuple[Product, ...] = (
    _product("desk lamp", 34, "bulb", "warm", "neutral", "cold"),
    _product("water bottle", 12, "size", "half litre", "one litre"),
    _product("backpack", 58, "volume", "20 litres", "30 litres", "40 litres"),
    _product("office chair", 140, "armrests", "fixed", "movable"),
    _product("wall clock", 26, "diameter", "20 cm", "30 cm"),
    _product("yoga mat", 22, "thickness", "4 mm", "6 mm", "8 mm"),
    _product("kettle", 41, "capacity", "small", "medium", "large"),
    _product("headphones", 85, "fit", "over ear", "in ear"),
    _product("garden hose", 30, "length", "10 metres", "20 metres"),
    _product("raincoat", 64, "cut", "short", "long"),
    _product("picture frame", 18, "format", "upright", "square", "wide"),
    _product("bicycle light", 27, "mount", "handlebar", "seat post"),
)
FIRST_NAMES = (
    *("Amara", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas"),
    *("Kavya", "Luca", "Mei", "Noor", "Olga", "Pedro"),
)
LAST_NAMES = (
    *("Abbott", "Berger", "Castro", "Dubois", "Eriksen", "Fischer", "Garcia", "Haddad"),
    *("Ivanov", "Jansen", "Kowalski", "Lopez", "Moreau", "Novak", "Okafor", "Petrov"),
)
_OTHER_PRODUCTS = (
    *("reading light", "thermos", "duffel bag", "bar stool", "barometer", "exercise ball"),
    *("teapot", "loudspeaker", "watering can", "parka", "mirror", "bicycle bell"),
)
_OTHER_FIRST = (
    *("Alma", "Boris", "Celia", "Dario", "Emre", "Fatima", "Gustav", "Hanna", "Igor", "Julia"),
    *("Karim", "Lena", "Marek", "Nadia", "Oscar", "Paula"),
)
_OTHER_LAST = (
    *("Adler", "Bianchi", "Conti", "Dahl", "Esposito", "Fontaine", "Greco", "Hansen"),
    *("Iversen", "Jovanovic", "Keller", "Lindqvist", "Marino", "Nowak", "Olsen", "Popescu"),
)
SKINS: dict[str, str] = {
    **dict(zip((one.name for one in PRODUCTS), _OTHER_PRODUCTS, strict=True)),
    **dict(zip(FIRST_NAMES, _OTHER_FIRST, strict=True)),
    **dict(zip(LAST_NAMES, _OTHER_LAST, strict=True)),
}
"""Other names of products and people, for tasks whose entities are renamed; no task draws them."""
