"""Writers of training examples for trainers, one module per format.

messages  chat messages as trainers take them, or the reason why not
trl       conversational SFT and preference rows of TRL
jsonl     a file of rows and its manifest, written whole or not at all
formats   the formats by name
"""
