// Room: Exchange.
