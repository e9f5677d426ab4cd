/**
 * Runs `check` in each world (a pattern's store in memory, in PGlite, on a server) and names the one that it failed in: a
 * rule holds for all of them.
 */
export async function inEachOf<World extends { name: string }>(
	worlds: readonly World[],
	check: (world: World) => Promise<void>,
): Promise<void> {
	for (const world of worlds) {
		try {
			await check(world);
		} catch (error) {
			if (error instanceof Error) error.message = `in ${world.name}: ${error.message}`;
			throw error;
		}
	}
}
