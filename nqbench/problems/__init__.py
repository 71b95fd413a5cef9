"""Problems: boards and their rules, and the files and generators that boards come from."""
