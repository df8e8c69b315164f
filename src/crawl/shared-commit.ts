// Shared commit: many wait for one commit, and only one is under way. Whoever comes while it is waits for the next, for
// the one under way may have begun without what he wants committed.

export class SharedCommit {
  readonly #commit: () => Promise<void>
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(commit: () => Promise<void>) {
    this.#commit = commit
  }

  /** Resolves when a commit that began after this call has ended; rejects when it failed. */
  wait(): Promise<void> {
    this.#next ??= this.#commitAfter(this.#running)
    return this.#next
  }

  async #commitAfter(running: Promise<void>): Promise<void> {
    // Those who waited for it were told how it ended.
    await running.catch(() => {})
    this.#running = this.#next!
    this.#next = undefined
    await this.#commit()
  }
}
