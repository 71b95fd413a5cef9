"""A campaign as one page: findings in sentences, charts, every run, the boards."""
