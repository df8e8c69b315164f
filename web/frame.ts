// The replay frame: keeps the bar true while the reader follows links inside the archived page, and tells what the page asked
// for and the archive lacks.
//
// The page's word for where it is cannot be trusted: it could show one site under another's address. Within a host that
// does no harm, and the bar follows. When the host changes, the frame is loaded anew from the address that the page
// claims, so that what is shown is what the bar says.

import { printDuration } from '../src/ui/markup/amounts.ts'
import { barTexts } from '../src/ui/texts/bar.ts'
import { keepFolded, restoreFold } from './bar-tools.ts'
import { showAccount } from './capture-account.ts'
import { tellWhoCaptured } from './captured-by.ts'
import { MissingParts } from './missing-parts.ts'
import { msOf, type PageMessage, pageMessageOf } from './page-message.ts'
import { say } from './reader.ts'

/** Parts further from their page than this are worth a word. */
const farMs = 24 * 3_600_000
const pauseMs = 250
/** Frames in frames in frames. */
const depthMax = 20

const frame = document.querySelector<HTMLIFrameElement>('#replay')!
let bar = document.querySelector<HTMLElement>('#bar')!
let fetching = new AbortController()
let waiting: ReturnType<typeof setTimeout> | undefined
/** What the page said last of the times of its parts. */
let times: PageMessage = {}
const missing = new MissingParts((source) => isWithin(source))

keepFolded()
tellWhoCaptured()
restoreFold(bar)
// What was said before this script had come: see early.ts.
for (const event of (window as { early?: MessageEvent[] }).early ?? []) hear(event)
addEventListener('message', hear)
void showAccount(bar)

function hear({ source, data }: MessageEvent): void {
  if (source === null || !isWithin(source)) return
  const message = pageMessageOf(data)
  if (message === undefined) return
  if (source === frame.contentWindow) hearPage(message)
  if (message.missing !== undefined) {
    missing.hear(source, message.missing)
    missing.show(bar)
  }
}

function hearPage(message: PageMessage): void {
  if (message.title) document.title = message.title
  if (message.url !== undefined) follow(message)
  if (message.earliestMs !== undefined) times = message
  warnOfDistance()
}

/** Whether it is the archived page, or a frame anywhere within it. */
function isWithin(source: MessageEventSource): boolean {
  let inner: Window | null = source as Window
  for (let depth = 0; depth < depthMax && inner !== null && inner !== inner.parent; depth++) {
    if (inner === frame.contentWindow) return true
    inner = inner.parent
  }
  return false
}

function follow({ url, timestamp, isMissing }: PageMessage): void {
  const digits = timestamp ?? timestampOf(Number(bar.dataset.atMs))
  if (url === undefined || isShown(url, digits)) return
  times = {}
  // Pages can change their address many times in a row: only the last counts.
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    const path = `/web/${digits}/${url}`
    // What is not archived has a page of the archive's own, which offers to archive it.
    if (isMissing !== true && hostOf(url) === hostOf(bar.dataset.url!)) void changeBar(path, url)
    else location.replace(path)
  }, pauseMs)
}

async function changeBar(path: string, url: string): Promise<void> {
  fetching.abort()
  fetching = new AbortController()
  try {
    const answer = await fetch(path, { signal: fetching.signal, headers: { Accept: 'text/html' } })
    // An address that the page's script made up: it is shown, and all else in the bar stays true.
    if (answer.status === 404) bar.querySelector<HTMLInputElement>('#address')!.value = url
    if (!answer.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const changed = page.querySelector<HTMLElement>('#bar')
    if (changed === null) return
    restoreFold(changed)
    missing.show(changed)
    bar.replaceWith(changed)
    bar = changed
    void showAccount(bar)
    warnOfDistance()
    history.replaceState(null, '', new URL(answer.url).pathname + new URL(answer.url).search)
  } catch (error) {
    // A newer address came, or the server is gone: the bar stays as it was.
    if (!(error instanceof DOMException || error instanceof TypeError)) throw error
  }
}

function warnOfDistance(): void {
  const { earliestMs, latestMs } = times
  const atMs = Number(bar.dataset.atMs)
  const before = earliestMs === undefined ? 0 : atMs - earliestMs
  const after = latestMs === undefined ? 0 : latestMs - atMs
  const older = before > farMs ? barTexts.older({ duration: printDuration(before) }) : undefined
  const newer = after > farMs ? barTexts.newer({ duration: printDuration(after) }) : undefined
  const notice = bar.querySelector<HTMLElement>('#notice')!
  notice.replaceChildren()
  notice.title = ''
  const first = older ?? newer
  if (first === undefined) return
  const parts =
    older !== undefined && newer !== undefined
      ? barTexts.partsBoth({ older, newer })
      : barTexts.partsOlder({ older: first })
  const more = document.createElement('span')
  more.className = 'only-wide'
  more.textContent = say(barTexts.thanPage)
  // The beginning is all that a phone has room for.
  notice.append(say(parts), more)
  notice.title = notice.textContent ?? ''
}

function isShown(url: string, digits: string): boolean {
  const shownMs = Number(bar.dataset.atMs)
  return url === bar.dataset.url && Math.floor(shownMs / 1_000) * 1_000 === msOf(digits)
}

function hostOf(url: string): string {
  return URL.parse(url)?.host.replace(/^www\d*\./, '') ?? ''
}

function timestampOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)
}
