"""Gongor Whist, P. D. Magnus's solitaire for the Decktet: bids, cards with two suits, trumps that can be twiddled."""
