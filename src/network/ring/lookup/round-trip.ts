// How long a peer takes to answer, and so how long to wait for it: V. Jacobson's and M. Karels' estimate, as TCP's (RFC
// 6298): the smoothed round trip plus four times its mean deviation.

const gain = 1 / 8
const deviationGain = 1 / 4
const deviations = 4

export interface TimeoutLimits {
  timeoutMsMin: number
  timeoutMsMax: number
  timeoutMsFirst: number
}

export class RoundTrip {
  #smoothedMs: number | undefined
  #deviationMs = 0

  get smoothedMs(): number | undefined {
    return this.#smoothedMs
  }

  /** Nearly all answers come within this. */
  get usualMs(): number | undefined {
    return this.#smoothedMs === undefined ? undefined : this.#smoothedMs + deviations * this.#deviationMs
  }

  /** Only of answers to questions that were asked once: which of two was answered, nobody knows (Karn). */
  measured(roundTripMs: number): void {
    if (this.#smoothedMs === undefined) {
      this.#smoothedMs = roundTripMs
      this.#deviationMs = roundTripMs / 2
      return
    }
    this.#deviationMs += deviationGain * (Math.abs(roundTripMs - this.#smoothedMs) - this.#deviationMs)
    this.#smoothedMs += gain * (roundTripMs - this.#smoothedMs)
  }

  timeoutMs(limits: TimeoutLimits): number {
    const { usualMs } = this
    if (usualMs === undefined) return limits.timeoutMsFirst
    return Math.min(Math.max(usualMs, limits.timeoutMsMin), limits.timeoutMsMax)
  }
}
