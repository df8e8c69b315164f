// Questions to every service, of every kind that it knows, as honest members ask them: what the hostile one spoils. It remembers
// others' questions besides; but many are asked only when people read, or when something is wrong, and what it has never heard it
// cannot spoil.
//
// A service or a kind without a sample is a fault of types; samples.test.ts asks them of a whole peer.

import { positionAfter, positionBytes } from '../../src/changes/local-events.ts'
import { readQuestion } from '../../src/changes/stream/questions.ts'
import { surveyQuestion } from '../../src/console/wire/survey-messages.ts'
import type { Schema } from '../../src/formats/wire/message-schema.ts'
import { linkQuestion } from '../../src/graph/wire/link-messages.ts'
import { digestHex, digestOf } from '../../src/model/digest.ts'
import { ringKeyToBytes } from '../../src/model/ring-key.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { type AnnouncementSigner, statementOf } from '../../src/network/announcements/announcement.ts'
import { announcementsQuestion } from '../../src/network/announcements/questions.ts'
import { auditQuestion, nonceBytes } from '../../src/network/audits/audit-messages.ts'
import { contentQuestion } from '../../src/network/content-directory/questions.ts'
import { lookQuestion } from '../../src/network/corroboration/corroboration-messages.ts'
import { placesQuestion } from '../../src/network/even-places/wire/questions.ts'
import { siteQuestion } from '../../src/network/frontier-replication/wire/questions.ts'
import { noShare, writeQuestion as writeJobQuestion } from '../../src/network/jobs/job-shares.ts'
import { memberQuestion } from '../../src/network/leases/wire/questions.ts'
import { noHistory } from '../../src/network/link-delivery/wire/history.ts'
import { encodeLinks } from '../../src/network/link-delivery/wire/link-coding.ts'
import { packBatch } from '../../src/network/link-delivery/wire/packed-batch.ts'
import { logQuestion } from '../../src/network/log-heads/log-messages.ts'
import { errandQuestion } from '../../src/network/part-errands/errand-messages.ts'
import { rankQuestion } from '../../src/network/rank/rank-questions.ts'
import { readRequest } from '../../src/network/remote-reads/wire/questions.ts'
import { copiesQuestion } from '../../src/network/replication/captures/wire/questions.ts'
import { fingerprintBytes, saltBytes } from '../../src/network/replication/comparison/fingerprint.ts'
import { encodeQuestion } from '../../src/network/replication/comparison/question.ts'
import { idBytes } from '../../src/network/replication/sums/tally.ts'
import { ringQuestion } from '../../src/network/ring/wire/questions.ts'
import { inviteQuestion } from '../../src/network/roles/invitation-messages.ts'
import { searchMessage } from '../../src/network/search/search-questions.ts'
import { browserQuestion, pageIdBytes } from '../../src/network/shared-browsers/browser-messages.ts'
import { leadQuestion } from '../../src/network/site-placement/wire/questions.ts'
import { packAnswers } from '../../src/network/volunteers/given-answers.ts'
import { volunteerQuestion } from '../../src/network/volunteers/volunteer-messages.ts'
import type { ServiceName } from '../../src/platform/calls/call-services.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import { simulatedCompressor } from '../../src/platform/simulated/compressor.ts'
import { hashBytes } from '../../src/proof/merkle-tree.ts'
import { type Announcer, sampleAnnouncements } from './sample-announcements.ts'

/** Bytes that nobody answers to yet. */
export const unusedServices = ['feed'] as const satisfies readonly ServiceName[]
type UsedService = Exclude<ServiceName, (typeof unusedServices)[number]>
export type SampleQuestions = Readonly<Record<UsedService, readonly Uint8Array[]>>

export interface SampleSubject {
  /** Who asks. */
  readonly announcer: Announcer
  readonly signer: Pick<AnnouncementSigner, 'sign'>
  /** Somebody of the network. */
  readonly other: PeerId
  /** What the peers have archived. */
  readonly url: string
  /** What announcements are about: a URL that nobody else speaks of. */
  readonly aside: string
  readonly nowMs: number
}

type OfKind<Question extends { kind: string }> = {
  [Kind in Question['kind']]: Omit<Extract<Question, { kind: Kind }>, 'kind'>
}

/** One of every kind. */
function everyKind<Question extends { kind: string }>(
  schema: Schema<unknown, Question>,
  samples: OfKind<Question>,
): Uint8Array[] {
  return Object.entries(samples).map(([kind, fields]) =>
    schema.encode({ kind, ...(fields as object) } as unknown as Question),
  )
}

export async function sampleQuestions(subject: SampleSubject): Promise<SampleQuestions> {
  const { announcer, signer, other, url, aside, nowMs } = subject
  const { self } = announcer
  const { href, ringKey: key, host } = parseUrl(url)
  const digest = digestOf('sha256', href)
  const nonce = Buffer.alloc(16, 7)
  const [from, to] = [ringKeyToBytes(key), Buffer.alloc(20, 0xff)]
  const range = { from, to: undefined }
  const captureKey = Buffer.concat([from, Buffer.alloc(idBytes + 10, 3)])
  const arc = { after: key, upTo: key }
  const id = 'ab'.repeat(10)
  const lease = { holder: self, epoch: 1, members: [self, other], before: [] }
  const ballot = { round: 1, peer: self }
  const position = { epoch: 1, sequence: 1 }
  const page = { after: undefined, limit: 10 }
  const fingerprint = Buffer.alloc(fingerprintBytes)
  const comparison = encodeQuestion({ salt: Buffer.alloc(saltBytes, 1), ranges: [{ range, fingerprint }] })
  const announcements = sampleAnnouncements(announcer, aside, nowMs).map((said) => ({
    ...said,
    signature: signer.sign(statementOf(said)),
  }))
  const headers = [{ name: 'Accept', value: '*/*' }]
  const pageId = Buffer.alloc(pageIdBytes, 5)
  const plan = {
    ...{ run: 1, round: 0, participants: [self, other], positions: [{ place: key, participant: 0 }] },
    ...{ damping: 0.85, tolerance: 1e-9, seeds: [host] },
  }
  const start = Buffer.alloc(positionBytes)
  const search = { text: 'wild rosemary', site: undefined, at: undefined }
  const everywhere = { arcs: [arc], splitsId: '', isAnyway: true }
  const links = [{ href, kind: 'navigation' as const, jobId: id, depth: 1 }]
  const share = noShare({ waiting: 0, unsettled: 0, process: 1, activity: 1 })
  const sender = { position: 0, sender: 0, address: '/ip4/127.0.0.1/tcp/1' }
  const cursor = 'a:1'
  const place = { digest, sizeBytes: 5_000, capture: { url: href, capturedAtMs: nowMs, recordId: uuid } }
  return {
    ring: everyKind(ringQuestion, {
      state: { position: 0, digest: 0, notifier: undefined },
      find: { key, successorsMax: 8 },
      notify: sender,
      poke: sender,
      farewell: { ...sender, from: key },
      hint: sender,
      ping: { position: 0, nonce },
      tickets: { peers: [other] },
    }),
    volunteers: everyKind(volunteerQuestion, {
      ask: { free: 2, patienceMs: 100, program: 'polyhistor/1' },
      hold: { ids: [nonce] },
      give: { id: nonce, isLast: true, packed: packAnswers([{ kind: 'untried', index: 0, why: 'time' }])! },
      tell: {},
      release: {},
    }),
    replica: everyKind(copiesQuestion, {
      compare: { bytes: comparison },
      give: { captures: [{ key: captureKey, isWhole: true, bytes: Buffer.from('WARC/1.1\r\n') }] },
      fetch: { isWhole: true, bytesMax: 10_000, wants: [{ range, ids: undefined }] },
      piece: { key: captureKey, isWhole: true, offset: 0 },
      confirm: { keys: [captureKey] },
      tell: { arcs: [arc], splitsId: '', life: Buffer.alloc(8, 1) },
      complete: { arc, splitsId: '' },
      spare: { arc },
      life: {},
      prove: { nonce, keys: [captureKey] },
    }),
    crawl: [
      await packBatch(simulatedCompressor, encodeLinks(links), { history: noHistory, wantsArc: true }),
      await packBatch(simulatedCompressor, encodeLinks(links), { history: noHistory, wantsArc: false }),
    ],
    reading: [
      ...(['url', 'prefix', 'host', 'site', 'arc'] as const).map((kind) =>
        readRequest.encode({
          kind: 'list',
          selection: {
            url: { kind: 'url', url: href } as const,
            prefix: { kind: 'prefix', url: href } as const,
            host: { kind: 'host', host } as const,
            site: { kind: 'site', site: host } as const,
            arc: { kind: 'arc', from: key, upTo: key, domain: undefined } as const,
          }[kind],
          options: { limit: 20, reverse: false, after: undefined, fromMs: nowMs, toMs: undefined },
        }),
      ),
      ...[
        { kind: 'open', cursor } as const,
        { kind: 'piece', session: 1, number: 1 } as const,
        { kind: 'records', cursor, isWhole: true } as const,
      ].map((question) => readRequest.encode(question)),
    ],
    rank: everyKind(rankQuestion, {
      begin: plan,
      piece: { run: 1, round: 0, step: 1, piece: 0, pieces: 1, bytes: Buffer.alloc(10, 1) },
      state: { run: 1, round: 0 },
      top: { isSites: true, site: undefined, limit: 10 },
      curve: { site: host },
    }),
    search: everyKind(searchMessage, {
      count: { ...search, ...everywhere },
      find: {
        ...{ ...search, ...everywhere, documents: 10, words: 1_000, counts: [3, 2] },
        ...{ limit: 10, after: undefined, hasFacets: true },
      },
      show: { ...search, found: [{ score: 1, page: 1, document: 1 }] },
      near: { words: ['rosemery'] },
    }),
    sites: [
      ...everyKind(memberQuestion, {
        renew: { session: 1 },
        attest: { session: 1, sites: [key] },
        attempt: { attempts: [{ site: key, base: undefined, ballot, proposal: lease }] },
        learn: { sites: [{ site: key, lease }] },
        'lay-down': { sites: [{ site: key, epoch: 1 }] },
        recall: { sites: [key] },
        yield: { sites: [{ site: key, lease }] },
      }).map((question) => Buffer.concat([Uint8Array.of(0), question])),
      ...everyKind(siteQuestion, {
        ship: {
          shipment: {
            jobs: [{ id, options: { seeds: [href], scope: 'host', budgets: {} } }],
            batches: [
              {
                ...{ site: key, epoch: 1, since: 1, established: 0, entries: [['x', Buffer.from('y')]] },
                load: { kind: 'changes', after: { epoch: 0, sequence: 0 }, upTo: position },
              },
            ],
          },
        },
        recall: { sites: [{ site: key, epoch: 1 }] },
        fetch: { site: key, position, from: undefined },
        jobs: { ids: [id] },
        holdings: { sites: [{ site: key, position }] },
      }).map((question) => Buffer.concat([Uint8Array.of(1), question])),
      ...everyKind(leadQuestion, {
        lead: { sites: [{ site: key, members: [announcer.self, other] }] },
        back: { sites: [key] },
      }).map((question) => Buffer.concat([Uint8Array.of(2), question])),
    ],
    notices: [
      ...announcements.map((said) => announcementsQuestion.encode({ kind: 'tell', announcements: [said] })),
      ...everyKind(announcementsQuestion, {
        tell: { announcements },
        compare: { bytes: comparison },
        fetch: { range: { from: new Uint8Array(), to }, ids: [] },
      }),
    ],
    jobs: [
      writeJobQuestion({ kind: 'shares', jobIds: [id], own: [share] }),
      writeJobQuestion({ kind: 'allot', jobId: id, pages: 10 }),
    ],
    status: [new Uint8Array()],
    content: everyKind(contentQuestion, {
      ask: { items: [{ digest, sizeBytes: 5_000, site: key }] },
      register: { items: [place] },
      need: { items: [{ digest, site: key, isNeeded: true }] },
      where: { items: [{ digest }] },
      copy: { items: [{ kind: 'place', version: 1, place }] },
      have: { items: [{ digest, place: key }] },
      hold: { items: [{ digest, place: key }] },
      'let-go': { items: [{ digest, place: key }] },
      read: { bytes: readRequest.encode({ kind: 'open', cursor: digestHex(digest) }) },
    }),
    siteNames: [new Uint8Array()],
    changes: [
      { instance: 0, generation: 0, after: start, missed: undefined, waitMs: 0, cursor: 0 },
      {
        ...{ instance: 1, generation: 1, after: start, waitMs: 10, cursor: 1 },
        missed: { takenAfter: 0, upTo: positionAfter(2 ** 40) },
      },
    ].map((question) => readQuestion.encode(question)),
    links: [false, true].flatMap((isTo) =>
      [{ kind: 'url', href } as const, { kind: 'site', site: host } as const].flatMap((of) => [
        linkQuestion.encode({ isTo, of, atMs: undefined, limit: 100 }),
        linkQuestion.encode({ isTo, of, atMs: Date.UTC(2026, 0), limit: 1 }),
      ]),
    ),
    errands: [
      { kind: 'asset' as const, method: 'GET', body: undefined, isStream: false, sinceMs: 1 },
      { kind: 'frame' as const, method: 'GET', body: undefined, isStream: true, sinceMs: 0 },
      { kind: 'data' as const, method: 'POST', body: Buffer.from('q=1'), isStream: false, sinceMs: 0 },
    ].map((part) => errandQuestion.encode({ ...part, url: href, page: new URL('/', href).href, headers })),
    browsers: everyKind(browserQuestion, {
      offer: {},
      show: { id: pageId, href, timeMs: 1_000, idleMs: 100, behaviourMs: 0, scrolls: 1 },
      part: {
        ...{ id: pageId, number: 1, method: 'POST', href, headers, isTooLarge: false },
        body: Buffer.from('q=1'),
      },
      more: { id: pageId, number: 1 },
    }),
    proofs: everyKind(logQuestion, {
      consistency: { first: 1, second: 2 },
      inclusion: { leaf: Buffer.alloc(hashBytes, 1), signedAtMs: nowMs },
    }),
    audits: everyKind(auditQuestion, {
      ping: {},
      challenge: { nonce: Buffer.alloc(nonceBytes, 1), steps: 4, keys: [Buffer.alloc(60, 1)] },
      spare: {},
    }),
    places: everyKind(placesQuestion, { fill: { arcs: [arc] } }),
    invitations: [
      { role: 'member' as const, sites: [], uses: 1, expiresAtMs: undefined, addresses: [sender.address] },
      { role: 'curator' as const, sites: [host], uses: 3, expiresAtMs: nowMs + 1_000_000, addresses: [] },
    ].map((wanted) => inviteQuestion.encode(wanted)),
    corroboration: [lookQuestion.encode({ url: href })],
    survey: [
      { kind: 'sites', ...page } as const,
      { kind: 'site', key } as const,
      { kind: 'queues', key, ...page } as const,
      { kind: 'queued', key, job: id, host, ...page } as const,
      { kind: 'visits', key, ...page } as const,
      { kind: 'visit', url: href } as const,
      { kind: 'job', id } as const,
    ].map((of) => surveyQuestion.encode({ of })),
  }
}

const uuid = '01234567-89ab-4cde-8f01-23456789abcd'
