// Small work on bytes that a thread beside this one takes part in when many ask for it at the same time.

export interface SideTask {
  /** Puts the input into this memory and says how much it is. undefined when it cannot, or does not fit: then it is done here. */
  fill(memory: Buffer): number | undefined
  /** Does the work in this thread. undefined when it cannot be done. */
  here(): Uint8Array | undefined
}

export interface SideWork {
  /** Memory of its own, for the caller to keep. undefined when the work cannot be done. */
  run(task: SideTask): Promise<Uint8Array | undefined>
}
