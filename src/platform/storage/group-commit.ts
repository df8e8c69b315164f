// Group commit: what several callers want written at about the same time is written together, for one flush costs as much as
// another. One group is written at a time; whoever comes meanwhile is in the next, for the one under way may have begun
// without what he wants written.
//
// Invariants: groups are written in the order of calls; a caller hears how its own group ended, and no other.

interface Group<Item> {
  readonly items: Item[]
  done: Promise<void>
}

export class GroupCommit<Item = never> {
  readonly #write: (items: readonly Item[]) => Promise<void>
  readonly #itemsMax: number
  #open: Group<Item> | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(write: (items: readonly Item[]) => Promise<void>, itemsMax = Number.POSITIVE_INFINITY) {
    this.#write = write
    this.#itemsMax = itemsMax
  }

  /** Resolves when a write that began after this call, with these items (no more than `itemsMax`), has ended. */
  commit(items: readonly Item[] = []): Promise<void> {
    const isRoom = this.#open !== undefined && this.#open.items.length + items.length <= this.#itemsMax
    const group = isRoom ? this.#open! : this.#begin()
    group.items.push(...items)
    return group.done
  }

  #begin(): Group<Item> {
    const before = this.#last
    const group: Group<Item> = { items: [], done: before }
    group.done = before
      // Who was in that one was told.
      .catch(() => {})
      .then(() => {
        if (this.#open === group) this.#open = undefined
        return this.#write(group.items)
      })
    this.#open = group
    this.#last = group.done
    return group
  }
}
