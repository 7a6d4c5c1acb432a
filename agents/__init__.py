"""Everything that decides, or makes deciders: agents, their evaluation and their training. Used from the checkout."""
