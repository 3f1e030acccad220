"""Language models behind an endpoint: what is asked, how it is sent, and what may go wrong on the way."""
