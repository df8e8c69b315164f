// Keeps a peer within its share of the disk: when that fills up, the room of what is dead is given back, and positions on the
// ring are given up, one at a time, so that others take over what they stand for.

import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { DiskShare } from './disk-share.ts'
import type { Compaction } from './share-compaction.ts'

interface Needs {
  readonly share: Pick<DiskShare, 'state'>
  readonly ring: { giveUpPosition(): boolean }
  /** Gives the room of dead bytes back; undefined when there are none, or not more than were tried in vain. */
  compact(
    isFull: boolean,
    triedBytes: number | undefined,
    signal: AbortSignal,
  ): Promise<Compaction | undefined>
  readonly clock: Clock
  readonly log: Log
}

const lookMs = 15_000
/** How long what a position stood for may take to move. */
const givenUpMs = 600_000
/** What could not be compacted now cannot be in a moment; what dies meanwhile may make the difference. */
const inVainMs = 600_000

export class ShareGuard {
  readonly #needs: Needs
  readonly #stop = new AbortController()
  #isShort = false
  #running: Promise<void> | undefined
  #givenUpAtMs = Number.NEGATIVE_INFINITY
  #inVain: { readonly atMs: number; readonly deadBytes: number } | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** What others keep too is better dropped. */
  get isShort(): boolean {
    return this.#isShort
  }

  start(): void {
    this.#running ??= this.#run().catch((error) =>
      this.#needs.log.error({ err: error }, 'The share of the disk is not looked at any more'),
    )
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await this.#look()
      await this.#needs.clock.sleep(lookMs, signal).catch(() => {})
    }
  }

  async #look(): Promise<void> {
    const { share, ring, clock, log } = this.#needs
    const { state, usedBytes, shareBytes } = await share.state()
    this.#isShort = state !== 'room'
    // Who has just made room need not give up a position.
    if (this.#isShort && (await this.#compacted(state === 'full'))) return
    if (!this.#isShort || clock.monotonicMs() - this.#givenUpAtMs < givenUpMs) return
    if (!ring.giveUpPosition()) return
    this.#givenUpAtMs = clock.monotonicMs()
    log.warn({ usedBytes, shareBytes }, 'The share fills up: a position on the ring was given up')
  }

  async #compacted(isFull: boolean): Promise<boolean> {
    const { clock, log } = this.#needs
    const { signal } = this.#stop
    const nowMs = clock.monotonicMs()
    const tried =
      this.#inVain !== undefined && nowMs - this.#inVain.atMs < inVainMs ? this.#inVain : undefined
    try {
      const compaction = await this.#needs.compact(isFull, tried?.deadBytes, signal)
      if (compaction === undefined) return false
      const { freedBytes, deadBytes } = compaction
      this.#inVain = freedBytes <= 0 ? { atMs: clock.monotonicMs(), deadBytes } : undefined
      if (freedBytes > 0)
        log.info({ freedBytes }, 'The share fills up: the room of what is dead was given back')
      return freedBytes > 0
    } catch (error) {
      // What it had freed by then is free.
      if (!signal.aborted) log.warn({ err: error }, 'The room of what is dead could not be given back now')
      return false
    }
  }
}
