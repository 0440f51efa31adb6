// Room: Host.
