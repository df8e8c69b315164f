// Keeps a peer within its share of the disk: when that fills up, positions on the ring are given up, one at a time, so that
// others take over what they stand for.

import type { Clock } from '../../world/clock.ts'
import type { Log } from '../../world/log.ts'
import type { DiskShare } from './disk-share.ts'

interface Needs {
  readonly share: DiskShare
  readonly ring: { giveUpPosition(): boolean }
  readonly clock: Clock
  readonly log: Log
}

const lookMs = 15_000
/** How long what a position stood for may take to move. */
const givenUpMs = 600_000

export class ShareKeeping {
  readonly #needs: Needs
  readonly #stop = new AbortController()
  #isShort = false
  #givenUpAtMs = Number.NEGATIVE_INFINITY

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** What others keep too is better dropped. */
  get isShort(): boolean {
    return this.#isShort
  }

  start(): void {
    this.#run().catch((error) =>
      this.#needs.log.error({ err: error }, 'The share of the disk is not looked at any more'),
    )
  }

  close(): void {
    this.#stop.abort()
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
    if (!this.#isShort || clock.monotonicMs() - this.#givenUpAtMs < givenUpMs) return
    if (!ring.giveUpPosition()) return
    this.#givenUpAtMs = clock.monotonicMs()
    log.warn({ usedBytes, shareBytes }, 'The share fills up: a position on the ring was given up')
  }
}
