async def hold(*a): pass
