// One bundle, fetched: its URLs one after the other, at the pace that it says, within its fence, and as this machine's owner allows.
//
// Whatever the network says: no address that the guard of this machine refuses is connected to, robots.txt is obeyed as far as it was
// sent along, and a host that asks to be left alone is. What was not asked for is given back as such.

import type { AddressGuard } from '../crawl/address/address-guard.ts'
import type { Fetcher } from '../crawl/fetch/fetcher.ts'
import type { Fetched } from '../crawl/fetch/outcome.ts'
import { pauseMsOf } from '../crawl/politeness/host-pace.ts'
import { parseRobots } from '../crawl/robots/robots-file.ts'
import { RobotsRules } from '../crawl/robots/robots-rules.ts'
import { tryParseUrl, type Url } from '../model/url/url.ts'
import { signedFacts } from '../network/volunteers/answer-check.ts'
import { failureCodeOf, type GivenAnswer, type GivenResponse } from '../network/volunteers/given-answers.ts'
import type { WireBundle } from '../network/volunteers/volunteer-messages.ts'
import type { Clock } from '../platform/clock.ts'
import { signCaptures } from '../proof/capture-signature.ts'
import type { SigningKey } from '../proof/ed25519.ts'

export interface BundleRunNeeds {
  readonly clock: Clock
  /** With the time of whoever gave the bundle out. */
  readonly fetcher: Fetcher
  readonly guard: AddressGuard
  readonly key: SigningKey
  nowMs(): number
  /** Waits until this machine's owner has something left to give. */
  ready(signal: AbortSignal): Promise<void>
  /** Answers are given in parts of about this size. */
  partBytes(): number
  /** What is fetched now. */
  fetching(href: string): void
  /** Gives a part of the answers; rejects when nobody takes it. */
  give(answers: readonly GivenAnswer[], isLast: boolean): Promise<void>
  /** One request at a time to each host, also for several who ask for it. */
  inTurn<T>(authority: string, work: () => Promise<T>): Promise<T>
}

type Untried = Extract<GivenAnswer, { kind: 'untried' }>['why']
type Unsigned = Omit<GivenResponse, 'signature'> & {
  readonly fetched: Fetched & { readonly capture: { readonly block: Uint8Array } }
}

/** Of answers that wait to be given. */
const waitingBytesMax = 2 * 1024 * 1024

export class BundleRun {
  readonly #needs: BundleRunNeeds
  readonly #bundle: WireBundle
  readonly #signal: AbortSignal
  readonly #robots: RobotsRules | undefined
  #answers: (GivenAnswer | Unsigned)[] = []
  #waitingBytes = 0

  /** `signal`: of the fence. */
  constructor(needs: BundleRunNeeds, bundle: WireBundle, userAgent: string, signal: AbortSignal) {
    this.#needs = needs
    this.#bundle = bundle
    this.#signal = signal
    this.#robots = bundle.robots && new RobotsRules(parseRobots(bundle.robots), userAgent)
  }

  async run(): Promise<void> {
    const { clock, ready, inTurn } = this.#needs
    const { urls, startMs } = this.#bundle
    const first = tryParseUrl(urls[0]?.href ?? '')
    await inTurn(first?.authority ?? '', async () => {
      let waitMs = startMs
      let isPaused = false
      for (const [index, asked] of urls.entries()) {
        const url = tryParseUrl(asked.href)
        const why = this.#refusal(url, first) ?? (isPaused ? 'pause' : undefined)
        if (url === null || why !== undefined) {
          this.#answers.push({ kind: 'untried', index, why: why ?? 'stopped' })
          continue
        }
        try {
          await clock.sleep(waitMs, this.#signal)
          await ready(this.#signal)
          const outcome = await this.#fetch(url, index)
          isPaused = outcome.isPaused
          waitMs = this.#pauseMs(outcome.responseMs)
        } catch (error) {
          if (!this.#signal.aborted) throw error
          this.#answers.push({ kind: 'untried', index, why: 'time' })
        }
        if (this.#waitingBytes > Math.min(waitingBytesMax, this.#needs.partBytes()))
          await this.#giveAll(false)
      }
    })
    await this.#giveAll(true)
  }

  #refusal(url: Url | null, first: Url | null): Untried | undefined {
    if (url === null || url.origin !== first?.origin) return 'stopped'
    if (this.#signal.aborted) return 'time'
    if (this.#needs.guard.refusalOfHost(url.host) !== undefined) return 'address'
    if (this.#robots !== undefined && !this.#robots.verdictOn(url.target).isAllowed) return 'robots'
    return undefined
  }

  async #fetch(url: Url, index: number): Promise<{ isPaused: boolean; responseMs: number }> {
    const { etag, lastModified, bytesMax } = this.#bundle.urls[index]!
    this.#needs.fetching(url.href)
    const fetched = await this.#needs.fetcher.fetch(url, {
      validators: { etag, lastModified },
      bytesMax,
      signal: this.#signal,
    })
    if (fetched.kind === 'failed') {
      const { code, reason, retry, address } = fetched
      if (code === 'address-forbidden') this.#answers.push({ kind: 'untried', index, why: 'address' })
      else
        this.#answers.push({
          ...{
            kind: 'failure',
            index,
            code: failureCodeOf(code),
            retry: retry === 'never' ? 'never' : 'later',
          },
          ...{ reason: reason.toWellFormed().slice(0, 160), address },
        })
      return { isPaused: true, responseMs: 0 }
    }
    try {
      const { status, headers, responseMs } = fetched
      const isPaused = status === 429 || status >= 500 || headers.get('Retry-After') !== undefined
      const { block, truncated } = fetched.capture
      if (!(block instanceof Uint8Array) || truncated === 'length') {
        this.#answers.push({ kind: 'untried', index, why: 'too-large' })
        return { isPaused, responseMs }
      }
      this.#answers.push(unsignedOf(index, fetched as Unsigned['fetched'], block))
      this.#waitingBytes += block.length
      return { isPaused, responseMs }
    } finally {
      await fetched.discard()
    }
  }

  #pauseMs(responseMs: number): number {
    const { delayMs, delayFactor, delayMsMin, delayMsMax, leastMs } = this.#bundle.pace
    const rules = { delayMs, delayFactor, delayMsMin, delayMsMax, ruleDelayMs: leastMs, crawlDelayMsMax: 0 }
    return pauseMsOf({ responseMs, crawlDelayMs: 0 }, rules)
  }

  async #giveAll(isLast: boolean): Promise<void> {
    const answers = this.#answers
    this.#answers = []
    this.#waitingBytes = 0
    await this.#needs.give(this.#signed(answers), isLast)
  }

  /** Those that came together with one signature. */
  #signed(answers: readonly (GivenAnswer | Unsigned)[]): GivenAnswer[] {
    const responses = answers.filter((answer) => 'fetched' in answer)
    const captures = responses.map(({ fetched }) => ({
      facts: signedFacts(fetched.capture),
      isImported: false,
    }))
    const signed =
      captures.length === 0 ? [] : signCaptures(this.#needs.key, captures, Math.round(this.#needs.nowMs()))
    const fields = new Map(responses.map((response, place) => [response, signed[place]!.field]))
    return answers.map((answer) => {
      if (!('fetched' in answer)) return answer
      const { fetched: _fetched, ...rest } = answer
      return { ...rest, signature: fields.get(answer)! }
    })
  }
}

function unsignedOf(index: number, fetched: Unsigned['fetched'], block: Uint8Array): Unsigned {
  const { capture, bodyBytes, responseMs, connectMs } = fetched
  const tlsProblem = capture.metadata.find(([name]) => name === 'tlsProblem')?.[1].slice(0, 500)
  return {
    ...{ kind: 'response', index, capturedAtMs: capture.capturedAtMs, responseMs: Math.round(responseMs) },
    connectMs: connectMs === undefined ? undefined : Math.round(connectMs),
    head: block.subarray(0, block.length - bodyBytes),
    body: block.subarray(block.length - bodyBytes),
    request: capture.request,
    address: capture.ipAddress,
    protocols: [...capture.protocols],
    ...{ certificate: capture.certificate, truncated: capture.truncated, tlsProblem, fetched },
  }
}
