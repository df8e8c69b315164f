// Asking a volunteer for the pages of a bundle: they are handed out, and what comes back is read, each page for itself.
//
// A failure is not believed: this peer establishes it. What no honest program gives back is told at once; whether a page is what its
// server sent is left to second-looks.ts.

import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type Random, shuffled } from '../../platform/random.ts'
import { fetchedOf } from './answer-check.ts'
import { bodyBytesMax } from './given-answers.ts'
import type { BundleWork, HandedResult } from './handed-bundles.ts'
import type { LentHostPace } from './lent-host-pace.ts'
import type { LentPage, PageOutcomes, Said } from './lent-pages.ts'
import type { BundleTimes } from './turn-arounds.ts'
import type { AskedPlace, WaitingVolunteer } from './waiting-asks.ts'

export interface AskingNeeds {
  readonly clock: Clock
  readonly random: Random
  handOut(place: AskedPlace, work: BundleWork): Promise<HandedResult>
  robotsOf(url: Url): Uint8Array | undefined
  /** What came of it, for its record. */
  note(peer: PeerId, counts: Readonly<Record<string, number>>): void
  /** Found wrong; resolves with whether it is shut out. */
  wrong(peer: PeerId, url: Url): Promise<boolean>
  /** A bundle is back whole: what that took. */
  noteTimes(by: WaitingVolunteer, url: Url, address: string, times: BundleTimes): void
}

export interface AskedBundle {
  readonly said: Said[]
  /** Pages that nothing came of. */
  readonly unsaid: LentPage[]
  /** The host wants to be left alone. */
  readonly isPaused: boolean
}

export class BundleAsking {
  readonly #needs: AskingNeeds
  readonly #pace: LentHostPace
  readonly #outcomes: PageOutcomes
  /** Somebody was late with some of them. */
  wasOverdue = false

  constructor(needs: AskingNeeds, { pace, outcomes }: { pace: LentHostPace; outcomes: PageOutcomes }) {
    this.#needs = needs
    this.#pace = pace
    this.#outcomes = outcomes
  }

  async ask(place: AskedPlace, pages: readonly LentPage[], urgency: 'normal' | 'high'): Promise<AskedBundle> {
    const { clock } = this.#needs
    const by: WaitingVolunteer = { peer: place.peer, prefix: place.prefix }
    // Which of them are looked at again, or known, must not show.
    const sent = shuffled(pages, this.#needs.random)
    const startMs = this.#pace.waitMs
    const { end, answers, sinceMs, outMs } = await this.#needs.handOut(place, {
      urgency,
      urls: sent.map(({ url, options }) => ({
        href: url.href,
        etag: options.validators?.etag,
        lastModified: options.validators?.lastModified,
        bytesMax: Math.min(options.bytesMax ?? bodyBytesMax, bodyBytesMax),
      })),
      pace: this.#pace.wirePace(),
      startMs,
      robots: this.#needs.robotsOf(sent[0]!.url),
      site: sent[0]!.url.ringKey,
    })
    const endedAtMs = clock.monotonicMs()
    if (end !== 'not-ours') this.#pace.asked()
    const said: Said[] = []
    const unsaid: LentPage[] = []
    const failed: LentPage[] = []
    let bytes = 0
    let isPaused = false
    for (const [index, page] of sent.entries()) {
      const answer = answers.get(index)
      if (answer?.kind === 'response') {
        const wasConditional =
          page.options.validators?.etag !== undefined || page.options.validators?.lastModified !== undefined
        const given = { ...by, sinceMs, nowMs: clock.nowMs(), endedAtMs, wasConditional }
        const fetched = fetchedOf(page.url, answer, given)
        if (typeof fetched !== 'string') {
          said.push({ page, by, fetched })
          bytes += fetched.bodyBytes
          this.#pace.noteResponse(fetched.responseMs)
          continue
        }
        // No honest program makes such an answer.
        if (await this.#needs.wrong(by.peer, page.url)) isPaused = false
      }
      if (answer?.kind === 'failure' && !page.isCheck) failed.push(page)
      else unsaid.push(page)
      if (answer?.kind !== 'untried') continue
      if (answer.why === 'pause') isPaused = true
      else if (answer.why !== 'time' && answer.why !== 'stopped') this.#outcomes.giveBack(page, true)
    }
    if (end === 'not-ours') isPaused = true
    if (said.length === sent.length) this.#noteTimes(by, said, outMs - startMs)
    const isLate = end === 'overdue' && answers.size < sent.length
    if (isLate) this.wasOverdue = true
    if (end !== 'not-ours') {
      const fetchedCount = said.filter(({ page }) => page.known === undefined).length
      this.#needs.note(by.peer, { bundles: 1, fetched: fetchedCount, bytes, overdue: isLate ? 1 : 0 })
    }
    for (const page of failed) {
      const established = page.known ?? (await this.#pace.fetchHere(page))
      if (established === undefined) unsaid.push(page)
      else if (established.kind === 'failed') isPaused = true
      else this.#needs.note(by.peer, { falseFailures: 1 })
      if (established !== undefined) this.#outcomes.finish(page, established)
    }
    return { said, unsaid: unsaid.filter((page) => !this.#outcomes.isDone(page)), isPaused }
  }

  /** Of a bundle whose pages all came. */
  #noteTimes(by: WaitingVolunteer, said: readonly Said[], busyMs: number): void {
    const fetches = said.map(({ fetched: { connectMs, responseMs } }) => ({ connectMs, responseMs }))
    const pausesMs = fetches
      .slice(0, -1)
      .reduce((sum, { responseMs }) => sum + this.#pace.pauseMs(responseMs), 0)
    const { url, ipAddress } = said[0]!.fetched.capture
    this.#needs.noteTimes(by, url, ipAddress, { tookMs: Math.max(0, busyMs - pausesMs), fetches })
  }
}
