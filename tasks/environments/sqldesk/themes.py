"""What tables can be about: subjects, columns and the words their values are drawn from."""

from dataclasses import dataclass


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FIRST = _words(
    "Ada Ben Cora Dino Edda Finn Greta Hugo Ines Jonas Kira Leon Mara Nils Olga Pavel Quinn Rosa "
    "Sven Tara Umar Vera Willem Xenia Yusuf Zoe Anouk Bruno Celia Dario Elif Farid Gwen Hanna"
)
_LAST = _words(
    "Abbott Brandt Castillo Dahl Eriksen Fontaine Grau Hoffman Ivarsson Jansen Keller Lindqvist "
    "Moreau Novak Okafor Petrov Quist Rossi Santos Tanaka Ueda Varga Weber Yilmaz Zimmer Aalto"
)
_ADJECTIVES = _words(
    "amber brisk cobalt dusty early fluted golden hollow ivory jolly kindled lunar mellow narrow "
    "opal plain quiet rustic silver tidal upper velvet windy young"
)
_THINGS = _words(
    "anchor basket canyon drum ember falcon garden harbor island jacket kettle lantern meadow "
    "notebook orchard pillar quarry ribbon saddle tower umbrella valley wagon zither"
)

PEOPLE = tuple(f"{first} {last}" for first in _FIRST for last in _LAST)
TITLES = tuple(
    f"{first.capitalize()} {thing.capitalize()}" for first in _ADJECTIVES for thing in _THINGS
)
CITIES = _words(
    "Aarhus Bergen Cadiz Dresden Esbjerg Fribourg Ghent Haarlem Izmir Jena Kosice Leiden Malmo "
    "Nantes Odense Porto Rostock Sibiu Turku Utrecht"
)
TEAMS = ("North", "South", "East", "West", "Central", "Coastal", "Alpine", "Harbour")
MAKERS = ("Arvidsson", "Bellini", "Corvus", "Delmar", "Ekholm", "Ferro", "Galant", "Hestia")


@dataclass(frozen=True)
class NumberColumn:
    """A numeric column; `digits` is the number of decimals."""

    name: str
    low: int
    high: int
    digits: int = 0


@dataclass(frozen=True)
class Theme:
    """One subject.

    Attributes:
        tables: names a table of this subject can have.
        noun: what one row is.
        key: column whose values name a row.
        key_values: pool of these names.
        coded: column that stores codes.
        words: what the codes stand for; no two start alike.
        numbers: numeric columns.
        date: date column.
        label: text column with few values.
        label_values: its pool.
    """

    tables: tuple[str, ...]
    noun: str
    key: str
    key_values: tuple[str, ...]
    coded: str
    words: tuple[str, ...]
    numbers: tuple[NumberColumn, ...]
    date: str
    label: str
    label_values: tuple[str, ...]


def _numbers(*columns: tuple[str, int, int, int]) -> tuple[NumberColumn, ...]:
    return tuple(NumberColumn(*column) for column in columns)


THEMES: tuple[Theme, ...] = (
    Theme(
        ("orders", "web_orders", "customer_orders"),
        "order",
        "Customer Name",
        PEOPLE,
        "Order Status",
        ("shipped", "pending", "cancelled", "returned"),
        _numbers(("Total Amount", 20, 900, 2), ("Item Count", 2, 60, 0)),
        "Order Date",
        "Ship City",
        CITIES,
    ),
    Theme(
        ("employees", "staff", "personnel"),
        "employee",
        "Full Name",
        PEOPLE,
        "Contract Type",
        ("permanent", "temporary", "freelance", "apprentice"),
        _numbers(("Monthly Salary", 1800, 7900, 0), ("Vacation Days", 12, 38, 0)),
        "Hire Date",
        "Home Office",
        CITIES,
    ),
    Theme(
        ("flights", "departures", "flight_plan"),
        "flight",
        "Route Name",
        TITLES,
        "Flight State",
        ("boarding", "delayed", "landed", "scheduled"),
        _numbers(("Seats Sold", 30, 320, 0), ("Fuel Tons", 3, 60, 1)),
        "Departure Date",
        "Arrival City",
        CITIES,
    ),
    Theme(
        ("loans", "library_loans", "lendings"),
        "loan",
        "Book Title",
        TITLES,
        "Loan State",
        ("borrowed", "overdue", "lost", "renewed"),
        _numbers(("Days Out", 3, 90, 0), ("Late Fee", 1, 40, 2)),
        "Due Date",
        "Branch City",
        CITIES,
    ),
    Theme(
        ("tickets", "support_tickets", "helpdesk"),
        "ticket",
        "Ticket Title",
        TITLES,
        "Ticket Priority",
        ("urgent", "normal", "low", "blocked"),
        _numbers(("Response Hours", 2, 120, 1), ("Reply Count", 2, 45, 0)),
        "Opened On",
        "Support Team",
        TEAMS,
    ),
    Theme(
        ("shipments", "parcels", "deliveries"),
        "shipment",
        "Receiver Name",
        PEOPLE,
        "Delivery State",
        ("delivered", "customs", "transit", "warehouse"),
        _numbers(("Weight Kg", 2, 90, 2), ("Parcel Count", 2, 40, 0)),
        "Sent On",
        "Target City",
        CITIES,
    ),
    Theme(
        ("patients", "clinic_visits", "appointments"),
        "visit",
        "Patient Name",
        PEOPLE,
        "Visit Kind",
        ("checkup", "emergency", "surgery", "vaccination"),
        _numbers(("Waiting Minutes", 3, 140, 0), ("Visit Cost", 30, 990, 2)),
        "Visit Date",
        "Ward Name",
        TEAMS,
    ),
    Theme(
        ("instruments", "rental_stock", "music_rentals"),
        "instrument",
        "Instrument Name",
        TITLES,
        "Repair State",
        ("playable", "broken", "tuning", "retired"),
        _numbers(("Rental Price", 10, 260, 2), ("Build Year", 1920, 2020, 0)),
        "Last Service",
        "Maker Name",
        MAKERS,
    ),
    Theme(
        ("members", "gym_members", "club_members"),
        "member",
        "Member Name",
        PEOPLE,
        "Membership Level",
        ("basic", "premium", "student", "family"),
        _numbers(("Monthly Fee", 15, 140, 2), ("Visits Total", 4, 400, 0)),
        "Joined On",
        "Club City",
        CITIES,
    ),
    Theme(
        ("machines", "plant_machines", "equipment"),
        "machine",
        "Machine Name",
        TITLES,
        "Run State",
        ("running", "idle", "maintenance", "scrapped"),
        _numbers(("Running Hours", 50, 9000, 0), ("Power Kw", 2, 300, 1)),
        "Inspection Date",
        "Plant City",
        CITIES,
    ),
    Theme(
        ("invoices", "billing", "receivables"),
        "invoice",
        "Client Name",
        PEOPLE,
        "Payment State",
        ("paid", "open", "disputed", "written off"),
        _numbers(("Net Amount", 40, 4800, 2), ("Reminder Count", 2, 30, 0)),
        "Invoice Date",
        "Sales Region",
        TEAMS,
    ),
    Theme(
        ("paintings", "gallery_works", "exhibits"),
        "painting",
        "Work Title",
        TITLES,
        "Display State",
        ("hanging", "stored", "restored", "loaned"),
        _numbers(("Insured Value", 200, 9500, 0), ("Width Cm", 20, 280, 1)),
        "Acquired On",
        "Room Name",
        TEAMS,
    ),
    Theme(
        ("vehicles", "fleet", "company_cars"),
        "vehicle",
        "Driver Name",
        PEOPLE,
        "Fuel Kind",
        ("diesel", "electric", "hybrid", "petrol"),
        _numbers(("Mileage Km", 900, 210000, 0), ("Lease Rate", 90, 990, 2)),
        "Next Check",
        "Garage City",
        CITIES,
    ),
    Theme(
        ("courses", "evening_courses", "seminars"),
        "course",
        "Course Title",
        TITLES,
        "Course State",
        ("open", "full", "cancelled", "running"),
        _numbers(("Seats Left", 2, 60, 0), ("Course Fee", 30, 640, 2)),
        "First Day",
        "Teaching Site",
        CITIES,
    ),
    Theme(
        ("samples", "lab_samples", "assays"),
        "sample",
        "Sample Label",
        TITLES,
        "Quality Grade",
        ("approved", "rejected", "quarantined", "untested"),
        _numbers(("Volume Ml", 2, 480, 1), ("Purity Score", 20, 100, 2)),
        "Taken On",
        "Lab Name",
        MAKERS,
    ),
    Theme(
        ("rooms", "hotel_bookings", "reservations"),
        "booking",
        "Guest Name",
        PEOPLE,
        "Booking State",
        ("confirmed", "waitlisted", "noshow", "departed"),
        _numbers(("Room Rate", 40, 480, 2), ("Guest Nights", 2, 28, 0)),
        "Check In",
        "Hotel City",
        CITIES,
    ),
)
