// Replay: (URL, time, modifier) → a response that a browser can be given.
//
// The life of a request: its address is taken apart (replay-address.ts), the capture it means is found (model/capture-choice.ts), its
// bytes are read, decoded and rewritten (content-builder.ts), and the part of them that is asked for goes out
// (delivery.ts). Expected failures become answers here (error-answer.ts), so that a page's frame shows a sentence.
//
// The same address gives the same bytes, as long as no capture nearer to its time is added.

import { PolyhistorError } from '../errors.ts'
import { fetchedAs, fetchedUrl, indexUrl, requestQuery } from '../formats/http/request-query.ts'
import { chooseCapture, type Versions } from '../model/capture-choice.ts'
import type { Awaitable } from '../model/listed.ts'
import { LruCache } from '../model/lru-cache.ts'
import { printTimestamp } from '../model/timestamp.ts'
import { tryParseUrl, type Url } from '../model/url/url.ts'
import type { HttpAnswer } from '../platform/network/http-server.ts'
import { AddressCache } from './address-cache.ts'
import type { Header } from './archived-head.ts'
import type { CaptureSource, ReplayCapture } from './capture-source.ts'
import {
  type Content,
  type ContentLimits,
  type ContentRequest,
  contentLimitsDefault,
} from './content/content.ts'
import { ContentBuilder } from './content/content-builder.ts'
import { type MadeAnswer, sizeOfAnswer, withOwnBody } from './content/made-answer.ts'
import { deliver } from './delivery.ts'
import { errorAnswer } from './error-answer.ts'
import { asDownload, asShown, fileOffer, isOffered, offerPolicy } from './file-offer.ts'
import { mementoHeaders } from './memento-headers.ts'
import { type OwnFileSources, OwnFiles } from './own-files.ts'
import { RecentResolutions } from './recent-resolutions.ts'
import { printReplayAddress, type ReplayAddress, spanOfDigits } from './replay-address.ts'
import { ReplayError } from './replay-error.ts'
import { isEmbedded, ownFilesPath, type ReplayOrigins } from './replay-origins.ts'
import { rawSafetyHeaders, replaySafetyHeaders, scriptlessHeader, sharingHeaders } from './safety-headers.ts'
import { SheetMisses } from './sheet-misses.ts'
import { strayAddress } from './stray.ts'

export type { HttpAnswer } from '../platform/network/http-server.ts'
export type { CaptureSource } from './capture-source.ts'
export type { OwnFileSources } from './own-files.ts'
export type { ReplayOrigins } from './replay-origins.ts'

interface ReplayRequest {
  readonly method: string
  /** Path and query as they were sent. */
  readonly target: string
  /** Which of the two names the request came to. */
  readonly host: 'archive' | 'replay'
  /** By lower-case name. */
  header(name: string): string | undefined
  /** The whole body. Rejects when it is larger, or cut off. */
  body?(bytesMax: number): Promise<Uint8Array>
}

interface ReplayOptions {
  readonly origins: ReplayOrigins
  /** For answers that were made lately. */
  readonly cacheBytes?: number | undefined
  readonly limits?: ContentLimits | undefined
}

/** What was asked of an address beside its target, and under which key the answer is cached. */
interface Answered {
  readonly host: ReplayRequest['host']
  readonly destination: string | undefined
  readonly acceptEncoding: string | undefined
  readonly key: string
}

const cacheBytesDefault = 64 * 1024 * 1024

export class Replay {
  readonly #source: CaptureSource
  readonly #versions: Versions<ReplayCapture>
  readonly #origins: ReplayOrigins
  readonly #making: ContentBuilder
  readonly #cache: LruCache<string, MadeAnswer>
  readonly #addresses = new AddressCache()
  readonly #recent = new RecentResolutions()
  readonly #answered = new RecentResolutions<Answered>()
  readonly #sheetMisses = new SheetMisses()
  readonly #ownFiles: OwnFiles
  readonly #shared: Readonly<Record<ReplayRequest['host'], ReturnType<typeof withSharing>>>

  constructor(needs: { source: CaptureSource; ownFiles: OwnFileSources }, options: ReplayOptions) {
    const { origins, limits = contentLimitsDefault } = options
    this.#source = needs.source
    this.#versions = (url, range) => needs.source.versions(url, range)
    this.#origins = origins
    this.#making = new ContentBuilder({ source: needs.source, context: { origins } }, limits)
    this.#cache = new LruCache({ bytesMax: options.cacheBytes ?? cacheBytesDefault, sizeOf: sizeOfAnswer })
    this.#ownFiles = new OwnFiles(needs.ownFiles)
    this.#shared = {
      archive: withSharing(rawSafetyHeaders),
      replay: withSharing(replaySafetyHeaders(origins)),
    }
  }

  /** Never fails but for faults of ours. At once where the same was asked lately: to that nothing is to be awaited. */
  answer(request: ReplayRequest): Awaitable<HttpAnswer> {
    return this.#sameAnswer(request) ?? this.#newAnswer(request)
  }

  /** What the whole way to an answer would come to, where the last one to ask this asked the same. Takedowns and new captures count. */
  #sameAnswer(request: ReplayRequest): HttpAnswer | undefined {
    const { method, target, host } = request
    const address = this.#addresses.known(target)
    if (method !== 'GET' || address === undefined) return undefined
    const { url, modifier } = address
    const answered = this.#answered.get(target, this.#source.revision?.(url))
    const isSame =
      answered?.host === host &&
      answered.destination === request.header('sec-fetch-dest') &&
      answered.acceptEncoding === request.header('accept-encoding') &&
      request.header('origin') !== 'null' &&
      isForAll(request)
    if (!isSame || this.#source.isTakenDown(url) !== false) return undefined
    // Which sheet imports it is to be noted.
    if (modifier === 'cs_' && sheetAsking(request, this.#origins) !== undefined) return undefined
    return this.#cache.get(answered.key)?.answer
  }

  async #newAnswer(request: ReplayRequest): Promise<HttpAnswer> {
    const shared = this.#sharedHeaders(request)
    try {
      return await this.#answer(request, shared)
    } catch (error) {
      if (error instanceof PolyhistorError) return errorAnswer(error, shared)
      throw error
    }
  }

  /** The capture that replay shows for these digits. */
  resolve(url: Url, digits: string): Promise<ReplayCapture | undefined> {
    return chooseCapture(this.#versions, { url, span: spanOfDigits(digits), policy: 'nearest' })
  }

  async #answer(request: ReplayRequest, shared: readonly Header[]): Promise<HttpAnswer> {
    const { method, target, host } = request
    if (method === 'OPTIONS') return preflightAnswer(request, shared)
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead && (host === 'archive' || !sendingMethods.has(method))) throw onlyReading(method)
    if (host === 'replay') {
      if (target.startsWith(sheetMissesPath)) return this.#sheetMissesAnswer(target, shared)
      const own = this.#ownFiles.answer(target, shared)
      if (own !== undefined) return own
      const meant = strayAddress(target, request.header('referer'), this.#origins)
      if (meant !== undefined) return redirect(307, meant, shared)
    }
    const address = this.#addresses.parse(target)
    if (!isRead) return this.#replay(request, await asSent(request, address), shared)
    return this.#elsewhere(request, address, shared) ?? this.#replay(request, address, shared)
  }

  /** Pages are framed by the archive's host and come from the replay host; raw bytes are at home on both. */
  #elsewhere(
    request: ReplayRequest,
    { modifier }: ReplayAddress,
    shared: readonly Header[],
  ): HttpAnswer | undefined {
    const { host, target } = request
    if (modifier === 'id_') {
      if (host === 'archive' && isRun(request)) throw notToBeRun()
      return undefined
    }
    if (host === 'archive') {
      return modifier === '' ? undefined : redirect(307, `${this.#origins.replay}${target}`, shared)
    }
    const isOpenedAlone = request.header('sec-fetch-dest') === 'document'
    if (modifier !== '' && !isOpenedAlone) return undefined
    const framed = target.replace(/^\/web\/([0-9]*)[a-z]*_?\//, '/web/$1/')
    return redirect(302, `${this.#origins.archive}${framed}`, shared)
  }

  async #replay(
    request: ReplayRequest,
    address: ReplayAddress,
    shared: readonly Header[],
  ): Promise<HttpAnswer> {
    const { method, host } = request
    const { url, modifier, digits, span } = address
    if (await this.#source.isTakenDown(url)) {
      throw new ReplayError('replay-taken-down', `${url.href} was taken down from this archive.`)
    }
    const sheet = sheetAsking(request, this.#origins)
    if (sheet !== undefined && modifier === 'cs_') this.#sheetMisses.noteImport(sheet, request.target)
    const revision = this.#source.revision?.(url)
    const capture = await this.#resolve(isSent(request) ? url.href : request.target, address, revision)
    if (capture === undefined) {
      if (sheet !== undefined) this.#sheetMisses.noteMissing(sheet, url.href)
      // An answer to what a page sends cannot be fetched by anybody else: it is no missing part.
      const headers = isSent(request) ? shared : [...missingTiming(url.href), ...shared]
      return this.#missing(address, headers)
    }
    const { capturedAtMs } = capture
    const isExact = digits.length === 14 && capturedAtMs >= span.fromMs && capturedAtMs < span.toMs
    const destination = request.header('sec-fetch-dest')
    const isAtPlace = isExact && isNormal(request.target, address)
    if (!isAtPlace && !isEmbedded(modifier, destination) && !isSent(request)) {
      return redirect(302, printReplayAddress(printTimestamp(capturedAtMs), modifier, url.href), [
        ...shared,
        ...mementoHeaders(this.#origins, capture).slice(1),
      ])
    }
    // Parts of a page keep its time, also where they are of another.
    const wanted: ContentRequest = {
      url,
      modifier,
      timestamp: digits.length === 14 ? digits : printTimestamp(capturedAtMs),
      destination,
      acceptEncoding: request.header('accept-encoding'),
    }
    const key = keyOf(request, capture, wanted)
    const answer = await this.#deliver(request, capture, wanted, { key, isExact, shared })
    if (method === 'GET' && request.header('origin') !== 'null' && key.length <= keyCharsMax) {
      const { destination, acceptEncoding } = wanted
      this.#answered.put(request.target, revision, { host, destination, acceptEncoding, key })
    }
    return answer
  }

  async #resolve(
    target: string,
    address: ReplayAddress,
    revision: number | undefined,
  ): Promise<ReplayCapture | undefined> {
    const known = this.#recent.get(target, revision)
    if (known !== undefined) return known
    const capture = await chooseCapture(this.#versions, address)
    if (capture !== undefined) this.#recent.put(target, revision, capture)
    return capture
  }

  #missing(address: ReplayAddress, shared: readonly Header[]): HttpAnswer {
    const { url, digits, modifier } = address
    const report = { url: fetchedUrl(url.href), timestamp: digits, archive: this.#origins.archive }
    return errorAnswer(notArchived(address), shared, modifier === 'mp_' ? report : undefined)
  }

  /** For a page's script: what the sheets that it loaded lack, as far as that is still so. */
  async #sheetMissesAnswer(target: string, shared: readonly Header[]): Promise<HttpAnswer> {
    const sheets = new URLSearchParams(target.slice(sheetMissesPath.length)).getAll('sheet')
    const missing: string[] = []
    for (const href of this.#sheetMisses.of(sheets)) {
      const url = tryParseUrl(href)
      if (url !== null && (await this.resolve(url, '')) === undefined) missing.push(href)
    }
    return {
      status: 200,
      headers: [
        ['Content-Type', 'application/json; charset=utf-8'],
        ['Cache-Control', 'no-store'],
        ...shared,
      ],
      body: JSON.stringify(missing),
    }
  }

  async #deliver(
    request: ReplayRequest,
    capture: ReplayCapture,
    wanted: ContentRequest,
    { key, isExact, shared }: { key: string; isExact: boolean; shared: readonly Header[] },
  ): Promise<HttpAnswer> {
    const made = this.#cache.get(key)
    if (made !== undefined) {
      return isForAll(request) && request.method !== 'HEAD'
        ? made.answer
        : this.#delivered(request, made.content, shared)
    }
    const content = withOwnBody(await this.#content(request, capture, wanted, isExact))
    const answer = await this.#delivered(request, content, shared)
    const { body } = content
    const isWhole = answer.status === content.status && request.method !== 'HEAD'
    if (isWhole && body instanceof Uint8Array && key.length <= keyCharsMax) {
      this.#cache.set(key, { content: { ...content, body }, answer })
    }
    return answer
  }

  #delivered(request: ReplayRequest, content: Content, shared: readonly Header[]): Promise<HttpAnswer> {
    if (content.isOffer !== true) return deliver(request, content, shared)
    return deliver(request, content, [...shared.filter(([name]) => name !== offerPolicy[0]), offerPolicy])
  }

  async #content(
    request: ReplayRequest,
    capture: ReplayCapture,
    wanted: ContentRequest,
    isExact: boolean,
  ): Promise<Content> {
    const { modifier } = wanted
    const made = await this.#making.make(capture, wanted)
    const headers = [...made.headers, ...mementoHeaders(this.#origins, capture)]
    if (modifier !== 'id_') headers.push(serverTiming(capture))
    if (!isExact) {
      const own = printReplayAddress(printTimestamp(capture.capturedAtMs), modifier, capture.url)
      headers.push(['Content-Location', own])
    }
    const content = { ...made, headers }
    if (request.host === 'archive') return content
    if (isOffered(content, wanted)) {
      if (modifier !== 'id_') return fileOffer(capture, content, this.#origins)
      return { ...content, headers: [...asDownload(headers, capture.url), scriptlessHeader] }
    }
    if (made.hasStart === true) return content
    const shown = modifier === 'id_' ? headers : asShown(headers, wanted)
    return { ...content, headers: [...shown, scriptlessHeader] }
  }

  #sharedHeaders(request: ReplayRequest): readonly Header[] {
    const isNull = request.header('origin') === 'null'
    return this.#shared[request.host][isNull ? 'null' : 'any']
  }
}

/** What pages send to be answered. */
const sendingMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])
const sentBytesMax = 1_000_000

function isSent({ method }: ReplayRequest): boolean {
  return sendingMethods.has(method)
}

/** The address of the answer to what a page sends: filed under method and body. */
async function asSent(request: ReplayRequest, address: ReplayAddress): Promise<ReplayAddress> {
  const body = (await request.body?.(sentBytesMax)) ?? new Uint8Array()
  const query = requestQuery({ method: request.method, contentType: request.header('content-type'), body })
  return query === undefined ? address : { ...address, url: indexUrl(address.url, query) }
}

const runningDestinations = /^(?:script|(?:shared|service)?worker|(?:audio|paint)worklet|style|xslt)$/

/** Whether a browser asks for this as a part of the page it is on. Browsers say so wherever a page could harm. */
function isRun(request: ReplayRequest): boolean {
  return runningDestinations.test(request.header('sec-fetch-dest') ?? '')
}

/** On the archive's own host an archived script would have its readers' rights. */
function notToBeRun(): ReplayError {
  return new ReplayError('replay-not-here', 'Archived scripts and styles work on the replay host only.')
}

function withSharing(safety: readonly Header[]): Readonly<Record<'any' | 'null', readonly Header[]>> {
  return {
    any: [...safety, ...sharingHeaders(undefined)],
    null: [...safety, ...sharingHeaders('null')],
  }
}

/** What a page loads by relative links is found only where its own address is written out: `http://a.org` has no folder. */
function isNormal(target: string, { digits, modifier, url }: ReplayAddress): boolean {
  return modifier === 'id_' || target === printReplayAddress(digits, modifier, url.href)
}

/** Who asks without a condition, and for all of it, gets what everybody gets. */
function isForAll(request: ReplayRequest): boolean {
  return request.header('range') === undefined && request.header('if-none-match') === undefined
}

/** Parts of it are as long as who asks makes them, and the bound of the cache does not count them. */
const keyCharsMax = 8_000

/** All that an answer depends on. */
function keyOf(request: ReplayRequest, { cursor }: ReplayCapture, wanted: ContentRequest): string {
  const { modifier, timestamp, destination, acceptEncoding, url } = wanted
  const sharing = request.header('origin') === 'null' ? 'n' : ''
  return `${cursor} ${request.host}${sharing} ${modifier}${timestamp} ${destination} ${acceptEncoding} ${url.href}`
}

/** How a page's script learns the time of each of its parts: it can be read across origins, unlike other headers. */
function serverTiming({ capturedAtMs }: ReplayCapture): Header {
  return ['Server-Timing', `capture;desc="${printTimestamp(capturedAtMs)}"`]
}

const sheetMissesPath = `${ownFilesPath}missing?`

/** The replay address of the style sheet that asks for this. */
function sheetAsking(request: ReplayRequest, { replay }: ReplayOrigins): string | undefined {
  const referer = request.header('referer')
  if (request.host !== 'replay' || !referer?.startsWith(`${replay}/web/`)) return undefined
  const target = referer.slice(replay.length)
  return /^\/web\/[0-9]*cs_\//.test(target) ? target : undefined
}

const missingUrlCharsMax = 2_000

/** How a page's script learns which of its parts the archive lacks. */
function missingTiming(url: string): readonly Header[] {
  if (url.length > missingUrlCharsMax) return []
  return [['Server-Timing', `missing;desc="${url.replace(/["\\]/g, encodeURIComponent)}"`]]
}

function redirect(status: number, location: string, headers: readonly Header[]): HttpAnswer {
  return {
    status,
    headers: [['Location', location], ['Cache-Control', 'no-cache'], ...headers],
    body: undefined,
  }
}

/** So that scripts can send headers of their own. */
function preflightAnswer(request: ReplayRequest, shared: readonly Header[]): HttpAnswer {
  const asked = request.header('access-control-request-headers') ?? ''
  const headers = /^[\w\t ,-]{1,2000}$/.test(asked) ? asked : '*'
  return {
    status: 204,
    headers: [
      ['Access-Control-Allow-Methods', ['GET', 'HEAD', ...sendingMethods].join(', ')],
      ['Access-Control-Allow-Headers', headers],
      ['Access-Control-Max-Age', '600'],
      ...shared,
    ],
    body: undefined,
  }
}

function onlyReading(method: string): ReplayError {
  return new ReplayError(
    'replay-method',
    `The archive can only be read: there is no ${method.slice(0, 20)} here.`,
  )
}

function notArchived({ url, policy, digits }: ReplayAddress): ReplayError {
  const when = policy === 'not-newer' ? ` up to ${digits}` : ''
  const asked = fetchedAs(url.href)
  const what = asked === undefined ? url.href : `The answer of ${asked.url} to this ${asked.method}`
  return new ReplayError('replay-not-archived', `${what} is not in this archive${when}.`)
}
