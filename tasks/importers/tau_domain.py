"""Which domain a tau episode belongs to: told by content first, by the file name only then."""

import re
from collections.abc import Iterable

from tasks.importers.names import UNKNOWN

_TOOLS: dict[str, frozenset[str]] = {
    "airline": frozenset(
        {
            "book_reservation",
            "cancel_reservation",
            "get_flight_status",
            "get_reservation_details",
            "list_all_airports",
            "search_direct_flight",
            "search_onestop_flight",
            "send_certificate",
            "update_reservation_baggages",
            "update_reservation_flights",
            "update_reservation_passengers",
        }
    ),
    "retail": frozenset(
        {
            "cancel_pending_order",
            "exchange_delivered_order_items",
            "find_user_id_by_email",
            "find_user_id_by_name_zip",
            "get_order_details",
            "get_product_details",
            "list_all_product_types",
            "modify_pending_order_address",
            "modify_pending_order_items",
            "modify_pending_order_payment",
            "modify_user_address",
            "return_delivered_order_items",
        }
    ),
    "telecom": frozenset(
        {
            "get_customer_by_id",
            "get_customer_by_name",
            "get_customer_by_phone",
            "get_data_usage",
            "get_details_by_id",
            "enable_roaming",
            "disable_roaming",
            "refuel_data",
            "resume_line",
            "suspend_line",
            "send_payment_request",
        }
    ),
}
_TITLE = re.compile(r"^\W{0,12}([A-Za-z]{2,30})\s+agent\s+policy\b", re.IGNORECASE | re.MULTILINE)
_HEAD = 2_000
_WORD = re.compile(r"[a-z0-9]+")


def domain_of_content(system_text: str, tools: Iterable[str]) -> str | None:
    """Domain by the policy's title and the tools used.

    Null when they are silent; `unknown` when they contradict one another, so that no file name
    decides then. A title that is no known domain counts only when the tools are silent.
    """
    title = _TITLE.search(system_text[:_HEAD])
    named = title.group(1).lower() if title else None
    used = set(tools)
    found = {domain for domain, known in _TOOLS.items() if known & used}
    if named is not None and (named in _TOOLS or not found):
        found.add(named)
    if len(found) > 1:
        return UNKNOWN
    return found.pop() if found else None


def domain_of_name(file_name: str) -> str | None:
    """Domain by a word of the file name; null when none or several fit."""
    words = set(_WORD.findall(file_name.lower()))
    named = {domain for domain in _TOOLS if domain in words}
    return named.pop() if len(named) == 1 else None
