// Network survey: what any peer of the network tells of its sites, and this peer to the others.
//
// What others say is a claim, shown to people and used for nothing else. Questions of others are answered a few at a time, each
// with a page of bounded size; beyond that they are refused, and come back.

import type { RingKey } from '../model/ring-key.ts'
import {
  type JobPart,
  type PageQuestion,
  type PeerSurvey,
  type QueuedUrl,
  type SiteFacts,
  surveyPageMax,
  type VisitRow,
} from '../model/survey.ts'
import { AnsweringTurns } from '../platform/calls/answering-turns.ts'
import type { CallService } from '../platform/calls/call-services.ts'
import type { PeerId } from '../platform/network/network.ts'
import {
  jobAnswer,
  jobHostsMax,
  jobReasonsMax,
  queuedAnswer,
  queuesAnswer,
  siteAnswer,
  sitesAnswer,
  surveyQuestion,
  urlShownCharsMax,
  visitAnswer,
  visitsAnswer,
} from './wire/survey-messages.ts'

interface Needs {
  readonly self: PeerId
  readonly own: PeerSurvey
  readonly calls: Pick<CallService, 'call' | 'answer'>
}

const answerMs = 5_000
const turns = { ofAll: 4, ofEach: 2 }
const reasonCharsMax = 100
/** visitsPerDay crosses in thousandths. */
const perDayParts = 1_000

type Question = Parameters<typeof surveyQuestion.encode>[0]['of']

export class NetworkSurvey {
  readonly #needs: Needs
  readonly #turns = new AnsweringTurns(
    turns,
    'survey-busy',
    'This peer answers as many questions about its sites as it can',
  )

  constructor(needs: Needs) {
    this.#needs = needs
    needs.calls.answer((from, bytes) => this.#answerInTurn(from, bytes))
  }

  /** Of one that does not answer each question rejects with a PolyhistorError. */
  of(peer: PeerId): PeerSurvey {
    if (peer === this.#needs.self) return this.#needs.own
    const ask = (of: Question) => this.#ask(peer, of)
    return {
      sites: async (page) => sitesAnswer.decode(await ask({ kind: 'sites', ...bounded(page) })),
      site: async (key) => fromWire(siteAnswer.decode(await ask({ kind: 'site', key }))),
      queues: async (key, page) => queuesAnswer.decode(await ask({ kind: 'queues', key, ...bounded(page) })),
      queued: async (key, { job, host }, page) =>
        queuedAnswer.decode(await ask({ kind: 'queued', key, job, host, ...bounded(page) })),
      visits: async (key, page) => visitsAnswer.decode(await ask({ kind: 'visits', key, ...bounded(page) })),
      visit: async (url) =>
        visitAnswer.decode(await ask({ kind: 'visit', url: url.slice(0, urlShownCharsMax) })),
      job: async (id) => jobAnswer.decode(await ask({ kind: 'job', id })),
    }
  }

  #ask(peer: PeerId, of: Question): Promise<Uint8Array> {
    return this.#needs.calls.call(peer, surveyQuestion.encode({ of }), {
      deadlineMs: answerMs,
      channel: 'bulk',
    })
  }

  async #answerInTurn(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const { of } = surveyQuestion.decode(bytes)
    return this.#turns.run(from, () => this.#answer(of))
  }

  async #answer(of: ReturnType<typeof surveyQuestion.decode>['of']): Promise<Uint8Array> {
    const { own } = this.#needs
    switch (of.kind) {
      case 'sites':
        return sitesAnswer.encode(await own.sites(bounded(of)))
      case 'site':
        return siteAnswer.encode(toWire(await own.site(of.key)))
      case 'queues':
        return queuesAnswer.encode(await own.queues(of.key, bounded(of)))
      case 'queued': {
        const { rows, next } = await own.queued(of.key, of, bounded(of))
        return queuedAnswer.encode({ rows: rows.map(clippedQueued), next })
      }
      case 'visits': {
        const { rows, next } = await own.visits(of.key, bounded(of))
        return visitsAnswer.encode({ rows: rows.map(clippedVisit), next })
      }
      case 'visit': {
        const visit = await own.visit(of.url)
        return visitAnswer.encode(visit && clippedVisit(visit))
      }
      case 'job':
        return jobAnswer.encode(boundedPart(await own.job(of.id)))
    }
  }
}

function boundedPart({ hosts, areHostsAll, missing }: JobPart): JobPart {
  return {
    hosts: hosts.slice(0, jobHostsMax).map(({ host, queued, pending }) => ({ host, queued, pending })),
    areHostsAll: areHostsAll && hosts.length <= jobHostsMax,
    missing: missing.slice(0, jobReasonsMax).map(({ url, reason, ...rest }) => ({
      ...rest,
      url: url.slice(0, urlShownCharsMax),
      reason: reason.slice(0, reasonCharsMax),
    })),
  }
}

/** One at least: who asks for none asks for ever. */
function bounded({ after, limit }: PageQuestion): PageQuestion {
  return { after, limit: Math.max(1, Math.min(limit, surveyPageMax)) }
}

function toWire(facts: SiteFacts | undefined) {
  return facts && { ...facts, visitsPerDay: Math.round(facts.visitsPerDay * perDayParts) }
}

function fromWire(facts: ReturnType<typeof siteAnswer.decode>): SiteFacts | undefined {
  return facts && { ...facts, key: facts.key as RingKey, visitsPerDay: facts.visitsPerDay / perDayParts }
}

/** A page of URLs of the longest kind would not fit into an answer. */
function clippedQueued({ url, via, ...rest }: QueuedUrl): QueuedUrl {
  return { ...rest, url: url.slice(0, urlShownCharsMax), via: via.slice(0, urlShownCharsMax) }
}

function clippedVisit({ url, dueAtMs, visitedAtMs, intervalMs, ...rest }: VisitRow): VisitRow {
  return {
    ...rest,
    url: url.slice(0, urlShownCharsMax),
    dueAtMs: whole(dueAtMs),
    visitedAtMs: visitedAtMs && whole(visitedAtMs),
    intervalMs: intervalMs && whole(intervalMs),
  }
}

function whole(ms: number): number {
  return Math.max(0, Math.round(ms))
}
