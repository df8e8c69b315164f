// Corroboration of what a home's peer captures, and second looks for other peers; wired to crawler, store, ring and calls.

import { compareVersions } from '../../changes/page-change/version-work.ts'
import type { FetchedCapture } from '../../crawl/fetch/outcome.ts'
import {
  type HttpHead,
  parseHttpHead,
  parseStatusLine,
  withoutTransferCoding,
} from '../../formats/http/http-message.ts'
import { viewOf } from '../../formats/warc/page-views.ts'
import type { CorroborationStatus } from '../../model/peer-status.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import {
  bodyBytesMax,
  headBytesMax,
  type LookAnswer,
  type SeenPage,
} from '../../network/corroboration/corroboration-messages.ts'
import { type CapturedPage, Corroborations } from '../../network/corroboration/corroborations.ts'
import { LookHandler } from '../../network/corroboration/look-handler.ts'
import { publicKeyOfPeer } from '../../network/membership/peer-key.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { networkPrefixOf } from '../../network/ring/network-prefix.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { holds, isSignedInTime, parseSignature } from '../../proof/capture-signature.ts'
import { type CapturedFacts, headDigestOf } from '../../proof/capture-statement.ts'
import { type CorroborationVerdict, encodeCorroborations } from '../../proof/corroboration.ts'
import { areEqual } from '../../proof/merkle-tree.ts'
import type { Capture } from '../../store/capture.ts'
import type { HomeProof } from '../proof/home-proof.ts'
import type { NetworkCrawlNeeds } from './network-crawl.ts'

type Needs = Pick<
  NetworkCrawlNeeds,
  'services' | 'places' | 'crawler' | 'store' | 'clock' | 'random' | 'log'
> & { readonly proof: HomeProof }

export interface OpenCorroboration {
  /** A capture of this peer is with enough others. */
  consider(capture: Capture): void
  status(): CorroborationStatus
  close(): Promise<void>
}

/** Compared in this thread, and a few a minute. */
const comparedBytesMax = 512 * 1024
const pageTypes = /^(?:text\/|application\/(?:xhtml\+xml|xml|json))/

export interface CorroborationOptions {
  /** Of pages, 0 to 1. */
  readonly share: number
  /** Peers of our own network prefix look, too, where there is no other. */
  readonly sameNetwork: boolean
}

export function openCorroboration(
  needs: Needs,
  { share, sameNetwork }: CorroborationOptions,
): OpenCorroboration {
  const { services, places, crawler, proof, clock, random, log } = needs
  const calls = services.service('corroboration')
  const { looks } = crawler
  const handler = new LookHandler({ calls, clock, look: (url, signal) => lookAt(needs, url, signal) })
  const corroborations = new Corroborations(
    {
      calls,
      random,
      log,
      witnesses: () => witnessesOf(places, random, sameNetwork),
      inTurn: (url, ask, signal) => looks.inTurn(url, ask, signal),
      check: (peer, url, seen) => checked(peer, url, seen),
      compare: (page, seen) => compare(needs, page, seen),
      keep: ({ url, capturedAtMs }, all) => looks.keep(url, capturedAtMs, encodeCorroborations(all)),
    },
    share,
  )
  return {
    consider: ({ url: href, capturedAtMs, status, mime, kind, importedBy }) => {
      if (share === 0 || importedBy !== undefined || status !== 200 || !pageTypes.test(mime)) return
      const url = viewOf(href) === undefined ? tryParseUrl(href) : null
      if (url === null || proof.captures === undefined) return
      // What is visited often comes as what it was before.
      corroborations.consider({ url, capturedAtMs, isPopular: kind !== 'full' })
    },
    status: () => corroborations.status,
    close: async () => {
      handler.close()
      await corroborations.close()
    },
  }
}

/** Peers of other network prefixes than ours, in an order by chance. A peer behind the same router would see the same forgery. */
function witnessesOf(places: RingPlaces, random: Random, sameNetwork: boolean): PeerId[] {
  const contacts = places.positions()
  const own = networkPrefixOf(contacts.find(({ peer }) => peer === places.self)?.address ?? '')
  const ranked = new Map<PeerId, number>()
  for (const { peer, address } of contacts) {
    const prefix = networkPrefixOf(address)
    const isApart = prefix !== undefined && prefix !== own
    if (peer !== places.self && (isApart || sameNetwork))
      ranked.set(peer, (isApart ? 0 : 1) + random.fraction())
  }
  return [...ranked]
    .sort(([, one], [, other]) => one - other)
    .map(([peer]) => peer)
    .slice(0, witnessesMax)
}

const witnessesMax = 4

async function lookAt({ crawler, proof }: Needs, url: Url, signal: AbortSignal): Promise<LookAnswer> {
  const fetched = await crawler.looks.fetch(url, bodyBytesMax, signal)
  if (fetched.kind === 'failed') return { kind: 'failed', code: fetched.code }
  try {
    const { capture } = fetched
    const body = await bytesOf(fetched.body())
    const head = headOf(capture)
    if (
      capture.truncated !== undefined ||
      head === undefined ||
      head.length > headBytesMax ||
      body.length > bodyBytesMax
    )
      return { kind: 'failed', code: 'too-large' }
    const payload = payloadOf(body)
    const facts: CapturedFacts = {
      url: url.href,
      capturedAtMs: Math.round(capture.capturedAtMs),
      headDigest: headDigestOf(withoutTransferCoding(head)),
      payloadDigest: payload,
      address: capture.ipAddress,
      certificate: capture.certificate,
    }
    const { field } = await proof.signer.sign({ facts, isImported: false })
    const { address = '', certificate = '' } = facts
    return {
      kind: 'seen',
      capturedAtMs: facts.capturedAtMs,
      head,
      body,
      payload,
      address,
      certificate,
      signature: field,
    }
  } finally {
    await fetched.discard()
  }
}

function checked(peer: PeerId, url: Url, seen: SeenPage) {
  const signature = parseSignature(seen.signature)
  const key = publicKeyOfPeer(peer)
  const facts: CapturedFacts = {
    url: url.href,
    capturedAtMs: seen.capturedAtMs,
    headDigest: headDigestOf(withoutTransferCoding(seen.head)),
    payloadDigest: payloadOf(seen.body),
    address: seen.address || undefined,
    certificate: seen.certificate || undefined,
  }
  if (signature === undefined || key === undefined || signature.isImported) return undefined
  const isRight =
    areEqual(signature.key, key) && isSignedInTime(signature, facts.capturedAtMs) && holds(signature, facts)
  return isRight ? { facts, signature: seen.signature } : undefined
}

async function compare(
  { store, crawler }: Needs,
  { url, capturedAtMs }: CapturedPage,
  seen: SeenPage,
): Promise<CorroborationVerdict | undefined> {
  const capture = store.nearest(url, capturedAtMs)
  if (capture?.capturedAtMs !== capturedAtMs || capture.isElsewhere) return undefined
  const { head, payload } = await store.read(capture)
  const [ours, theirs] = [head && parseHttpHead(head), parseHttpHead(seen.head)]
  if (!ours || !theirs || statusOf(ours) !== statusOf(theirs)) return 'other'
  const body = await bytesOf(payload())
  if (Buffer.compare(body, seen.body) === 0) return 'same'
  if (Math.max(body.length, seen.body.length) > comparedBytesMax) return 'other'
  const version = (http: HttpHead, bytes: Uint8Array, atMs: number) => ({
    bytes,
    contentEncoding: http.headers.get('Content-Encoding'),
    contentType: http.headers.get('Content-Type') ?? '',
    url: url.href,
    capturedAtMs: atMs,
  })
  const before = version(ours, body, capturedAtMs)
  const after = version(theirs, seen.body, seen.capturedAtMs)
  return crawler.looks.isNoise(url, await compareVersions({ before, after })) ? 'alike' : 'other'
}

function payloadOf(body: Uint8Array): string {
  return `sha256:${Buffer.from(headDigestOf(body)).toString('hex')}`
}

function statusOf({ startLine }: HttpHead): number | undefined {
  return parseStatusLine(startLine)?.status
}

function headOf({ block }: FetchedCapture): Uint8Array | undefined {
  const start = block instanceof Uint8Array ? block : block.head
  const head = parseHttpHead(start)
  return head && start.subarray(0, head.length)
}

async function bytesOf(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return body instanceof Uint8Array ? Uint8Array.from(body) : Buffer.concat(await Array.fromAsync(body))
}
