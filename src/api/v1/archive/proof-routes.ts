// `/api/v1/proof` and `/api/v1/log`: proofs of captures, and the log of those that this peer made. What a proof holds, and how it is
// checked: docs/proof.md.

import type { ArchivedCapture, CaptureIndex } from '../../../model/archive.ts'
import { anyTime } from '../../../model/capture-choice.ts'
import { timestampSpan } from '../../../model/timestamp.ts'
import type { Url } from '../../../model/url/url.ts'
import type { HttpAnswer } from '../../../platform/network/http-server.ts'
import type { LogHead } from '../../../proof/log/log-head.ts'
import type { Hash } from '../../../proof/merkle-tree.ts'
import { headJson, type ProofJson } from '../../../proof/proof-file.ts'
import { jsonAnswer } from '../../answers.ts'
import { ApiError, badParameter } from '../../api-error.ts'
import { checkNotTakenDown, notArchived } from '../../archived-url.ts'
import type { Route } from '../../route.ts'
import { count, object, parameter, timestamp } from '../operation.ts'
import { urlOf } from './capture-lists.ts'

export interface CaptureLocator {
  readonly url: Url
  readonly span: ReturnType<typeof timestampSpan>
  readonly policy: 'nearest' | 'not-newer'
}

/** `wrong`: what is stored is not what was signed. */
export interface ToldSignature {
  readonly state: 'verified' | 'not-signed' | 'wrong'
  /** The peer; null when nobody signed it. */
  readonly by: string | null
  readonly as: 'captured' | 'imported' | null
  readonly signedAt: string | null
  /** Other peers that fetched it soon after, and signed what they saw. `same`: byte by byte. `alike`: but for noise. */
  readonly seen: readonly {
    readonly by: string
    readonly at: string
    readonly verdict: 'same' | 'alike' | 'other'
  }[]
}

export interface ProofApi {
  /** Of this peer. */
  readonly publicKey: Uint8Array
  find(locator: CaptureLocator): Promise<ArchivedCapture | undefined>
  prove(capture: ArchivedCapture): Promise<ProofJson>
  /** Who signed it, as far as its own record tells. */
  signature(capture: ArchivedCapture): Promise<ToldSignature>
  /** Over all that was captured until now; undefined when that is nothing, or there is no log. */
  head(): Promise<LogHead | undefined>
  consistency(first: number, second: number): Promise<readonly Hash[] | undefined>
}

const urlParameter = { ...parameter('url', 'the URL; http:// may be left out'), isRequired: true }

interface Needs {
  readonly archive: CaptureIndex
  readonly proofs: ProofApi
}

export function proofRoutes(needs: Needs): Route[] {
  const { proofs } = needs
  const shared = { methods: ['GET'], host: 'archive' as const, isForEveryOrigin: true }
  return [
    {
      ...shared,
      path: '/api/v1/proof',
      operation: {
        summary:
          'The proof of a capture: what was signed, by whom, and where it is in the log of who signed it',
        query: [
          urlParameter,
          parameter('at', 'the version nearest to this time; the newest when not given', timestamp),
        ],
      },
      handle: async ({ query }) => jsonAnswer(await proofs.prove(await find(needs, query))),
    },
    {
      ...shared,
      path: '/api/v1/signature',
      operation: {
        summary: 'Who captured a version, and whether every byte of it is what they signed',
        query: [
          urlParameter,
          parameter('at', 'the version nearest to this time; the newest when not given', timestamp),
        ],
        answer: object({
          state: { type: 'string', enum: ['verified', 'not-signed', 'wrong'] },
          by: { type: ['string', 'null'] },
          as: { type: ['string', 'null'] },
          signedAt: { type: ['string', 'null'] },
          seen: { type: 'array', items: { type: 'object' } },
        }),
      },
      handle: async ({ query }) => jsonAnswer(await proofs.signature(await find(needs, query))),
    },
    {
      ...shared,
      path: '/api/v1/log/head',
      operation: {
        summary: 'The signed head of the log of captures that this peer made; head is null without any',
      },
      handle: async () => {
        const head = await proofs.head()
        const key = Buffer.from(proofs.publicKey).toString('hex')
        return jsonAnswer({ key, head: head === undefined ? null : headJson(head) })
      },
    },
    {
      ...shared,
      path: '/api/v1/log/consistency',
      operation: {
        summary: 'Proof that the log of one size goes on from that of a smaller one (RFC 9162 2.1.4)',
        query: [
          { ...parameter('first', 'the smaller size', count), isRequired: true },
          { ...parameter('second', 'the larger size', count), isRequired: true },
        ],
        answer: object({ path: { type: 'array', items: { type: 'string' } } }),
      },
      handle: ({ query }) => consistency(proofs, query),
    },
  ]
}

async function find({ archive, proofs }: Needs, query: URLSearchParams): Promise<ArchivedCapture> {
  const url = urlOf(query)
  checkNotTakenDown(archive, url)
  const at = query.get('at')
  const span = at === null || at === '' ? anyTime : timestampSpan(at)
  const found = await proofs.find({ url, span, policy: 'nearest' })
  if (found === undefined) throw notArchived(url)
  return found
}

async function consistency(proofs: ProofApi, query: URLSearchParams): Promise<HttpAnswer> {
  const [first, second] = ['first', 'second'].map((name) => sizeOf(name, query.get(name) ?? ''))
  const path = await proofs.consistency(first!, second!)
  if (path === undefined)
    throw new ApiError('request-bad-parameter', 'The log never had these sizes: see /api/v1/log/head.')
  return jsonAnswer({ path: path.map((hash) => Buffer.from(hash).toString('hex')) })
}

function sizeOf(name: string, text: string): number {
  const size = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(size)) return size
  throw badParameter(name, text, 'a number of captures')
}
