// Room: Packets.
