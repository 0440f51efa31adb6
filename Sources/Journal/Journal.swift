// Room: Journal.
