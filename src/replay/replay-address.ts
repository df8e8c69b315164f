// Replay address: `/web/<1–14 digits><modifier>/<url>`, taken apart and put together.
//
// A target is taken as it was sent, for the archived URL in it has a query of its own. What browsers, proxies and people
// do to it is understood: `http:/` for `http://`, a scheme left out, a percent-encoded scheme, a time of 17 digits.
// A last query parameter `policy=…` is ours, not the URL's; written `policy%3D…` it is the URL's.

import { anyTime } from '../model/capture-choice.ts'
import { timestampSpan } from '../model/timestamp.ts'
import { type Url, UrlError, urlFromTyped } from '../model/url/url.ts'
import { quoteUrl } from '../model/url/url-error.ts'
import { ReplayError } from './replay-error.ts'

/** What an address asks the capture to be: a page, a part of one, or its original bytes. `''` is the archive's frame. */
export type Modifier = '' | PartModifier

/** `esm_`, `wkr_`, `wkrm_`, `wkrf_`, `sw_` are wombat's: modules, workers, what workers fetch, service workers. */
const partModifiers = [
  ...(['id_', 'mp_', 'if_', 'fr_', 'js_', 'cs_', 'im_', 'oe_'] as const),
  ...(['esm_', 'wkr_', 'wkrm_', 'wkrf_', 'sw_'] as const),
] as const
export type PartModifier = (typeof partModifiers)[number]

/** `nearest` in time, or the newest that is not newer. */
type ReplayPolicy = 'nearest' | 'not-newer'

export interface ReplayAddress {
  /** As written; `''` asks for the newest. */
  readonly digits: string
  /** The stretch of time that the digits stand for, its end not included. */
  readonly span: { readonly fromMs: number; readonly toMs: number }
  readonly modifier: Modifier
  readonly url: Url
  readonly policy: ReplayPolicy
}

const addressPattern = /^\/web\/(?:([0-9]*)([a-z]+_)?\/)?(.*)$/s
const known = new Set<string>(partModifiers)
const digitsMax = 17

export function parseReplayAddress(target: string): ReplayAddress {
  const match = addressPattern.exec(target)
  if (match === null) throw new ReplayError('replay-bad-address', howAddressesLook)
  const [, digits = '', modifier = '', rest = ''] = match
  if (modifier !== '' && !known.has(modifier)) {
    throw new ReplayError(
      'replay-bad-address',
      `${quoteUrl(modifier)} is no modifier that this archive knows. There are ${partModifiers.slice(0, 8).join(', ')}.`,
    )
  }
  if (/^[0-9]+[^/.:]*\/+\w+:/.test(rest)) {
    const written = rest.slice(0, rest.indexOf('/'))
    throw badTime(written, 'it must have 1 to 14 digits, with a modifier such as id_ behind them if wanted')
  }
  const { written, policy } = withoutPolicy(rest)
  return { digits, span: spanOfDigits(digits), modifier: modifier as Modifier, url: urlIn(written), policy }
}

export function printReplayAddress(timestamp: string, modifier: Modifier, url: string): string {
  return `/web/${timestamp}${modifier}/${url}`
}

const howAddressesLook =
  'An address of an archived page looks like /web/20200131120000/https://example.com/: 1 to 14 digits of a time, a modifier such as id_ if wanted, then the URL.'

/** Of 1 to 17 digits; without any, all time. */
export function spanOfDigits(digits: string): ReplayAddress['span'] {
  if (digits === '') return anyTime
  if (digits.length > digitsMax) throw badTime(digits, 'it must have 1 to 14 digits, as in 20200131120000')
  try {
    return timestampSpan(digits)
  } catch (error) {
    throw badTime(
      digits,
      'there is no such date: write the year first, then month, day, hour, minute, second',
      error,
    )
  }
}

function badTime(digits: string, why: string, cause?: unknown): ReplayError {
  return new ReplayError('replay-bad-time', `${quoteUrl(digits)} is no time: ${why}.`, cause)
}

function urlIn(written: string): Url {
  // Some clients encode the whole URL once more.
  const decoded = /^https?%3a/i.test(written) ? safelyDecoded(written) : written
  try {
    return urlFromTyped(decoded.replace(/^(https?):\/+/i, '$1://'))
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    const sentence = error.code === 'url-empty' ? howAddressesLook : `${error.message}.`
    throw new ReplayError(
      error.code === 'url-too-long' ? 'replay-url-too-long' : 'replay-bad-url',
      sentence,
      error,
    )
  }
}

function safelyDecoded(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}

function withoutPolicy(rest: string): { written: string; policy: ReplayPolicy } {
  const match = /[?&]policy=([\w-]*)$/.exec(rest)
  if (match === null) return { written: rest, policy: 'nearest' }
  const policy = match[1]!
  if (policy !== 'nearest' && policy !== 'not-newer') {
    throw new ReplayError(
      'replay-bad-policy',
      `${quoteUrl(policy)} is no policy: there are policy=nearest and policy=not-newer.`,
    )
  }
  return { written: rest.slice(0, match.index), policy }
}
