"""All cues of a text for the simulated models: which facts about this desk it names.

A fact is a tool and what comes before it, the form of an argument, what a payment method must
cover. What desk and customer say by themselves is no cue: it is part of the fault rates.
"""

from tasks.environments.embedded.cues import CueTable, alone, own_voice
from tasks.environments.embedded.hint_cues import offer_untried, read_repetition
from tasks.environments.orderdesk import orderdesk_order_cues as order
from tasks.environments.orderdesk import orderdesk_shape_cues as shape

OWN_VOICE = (
    r"\{.*\}|no (?:customer|order|product) .*|the order must be .*|the order has no item .*"
    r"|each item can be named once.*|item .* is no other version of .*"
    r"|the customer has no payment method .*|the balance of .* does not cover .*"
    r"|item_ids and new_item_ids must have the same number of items|(?:.*: )?.* is not one of .*"
    r"|(?:.*: )?\[\] should be non-empty|The talk is over\.|A colleague takes over\."
    r"|My email is .*|The order number is .*|I (?:want|have|see) .*|It was a mistake.*"
    r"|Use the credit card .*|Take any payment method .*|Yes, go ahead\.|No, that order .*"
    r"|As I said.*|Thank you\. Goodbye\."
)
CUES = CueTable(
    own=own_voice(OWN_VOICE),
    in_sentence=(
        alone(shape.read_lists),
        alone(shape.read_payment),
        shape.read_reason,
        shape.read_argument,
        alone(shape.read_prose),
        alone(order.read_handover),
    ),
    in_recent=(read_repetition,),
    in_passage=(order.read_consent, order.read_look_up, order.read_refusal),
    in_steps=order.read_steps,
    prepare=offer_untried,
)
