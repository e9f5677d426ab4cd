import { type EntityOptions, OptimisticEntity, type Snapshot } from './optimistic-update.ts';

/** All entities of a kind, so that two parts of a page that show one entity share its queue. */
export class OptimisticStore<S> {
	readonly #entities = new Map<string, OptimisticEntity<S>>();
	readonly #options: EntityOptions;

	constructor(options: EntityOptions = {}) {
		this.#options = options;
	}

	/** The entity of this id; one that is open already takes the snapshot if it is newer. */
	open(id: string, snapshot: Snapshot<S>): OptimisticEntity<S> {
		const known = this.#entities.get(id);
		known?.receive(snapshot);
		const entity = known ?? new OptimisticEntity(snapshot, this.#options);
		this.#entities.set(id, entity);
		return entity;
	}

	/** Closes and forgets the entity. */
	close(id: string): void {
		this.#entities.get(id)?.close();
		this.#entities.delete(id);
	}
}
