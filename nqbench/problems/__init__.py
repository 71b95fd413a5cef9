"""What is asked: boards, their rules, and the files and generators that they come from."""
