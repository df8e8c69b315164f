// One run of a process on a simulated machine: from its start until it is killed, stops, or the machine loses power.
//
// Invariant: after its end nothing happens on its behalf. What it waits for never comes: a dead process hears nothing.

export class Life {
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  end(): void {
    this.#isOver = true
  }
}

/** What the dead wait for. */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => {})
}
