// The replay frame: keeps the bar true while the reader follows links inside the archived page.
//
// The page's word for where it is cannot be trusted: it could show one site under another's address. Within a host that
// does no harm, and the bar follows. When the host changes, the frame is loaded anew from the address that the page
// claims, so that what is shown is what the bar says.

import { printDuration } from '../src/pages/duration.ts'
import { msOf, type PageMessage, pageMessageOf } from './page-message.ts'

/** Parts further from their page than this are worth a word. */
const farMs = 24 * 3_600_000
const pauseMs = 250

const frame = document.querySelector<HTMLIFrameElement>('#replay')!
let bar = document.querySelector<HTMLElement>('#bar')!
let fetching = new AbortController()
let waiting: ReturnType<typeof setTimeout> | undefined

// What was said before this script had come: see early.ts.
for (const event of (window as { early?: MessageEvent[] }).early ?? []) hear(event)
addEventListener('message', hear)

function hear({ source, data }: MessageEvent): void {
  if (source !== frame.contentWindow) return
  const message = pageMessageOf(data)
  if (message === undefined) return
  if (message.title) document.title = message.title
  if (message.url !== undefined) follow(message)
  warnOfDistance(message)
}

function follow({ url, timestamp }: PageMessage): void {
  const digits = timestamp ?? timestampOf(Number(bar.dataset.atMs))
  if (url === undefined || isShown(url, digits)) return
  // Pages can change their address many times in a row: only the last counts.
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    const path = `/web/${digits}/${url}`
    if (hostOf(url) === hostOf(bar.dataset.url!)) void changeBar(path)
    else location.replace(path)
  }, pauseMs)
}

async function changeBar(path: string): Promise<void> {
  fetching.abort()
  fetching = new AbortController()
  try {
    const answer = await fetch(path, { signal: fetching.signal })
    if (!answer.ok) return
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const changed = page.querySelector<HTMLElement>('#bar')
    if (changed === null) return
    bar.replaceWith(changed)
    bar = changed
    history.replaceState(null, '', new URL(answer.url).pathname + new URL(answer.url).search)
  } catch (error) {
    // A newer address came, or the server is gone: the bar stays as it was.
    if (!(error instanceof DOMException || error instanceof TypeError)) throw error
  }
}

function warnOfDistance({ earliestMs, latestMs }: PageMessage): void {
  const atMs = Number(bar.dataset.atMs)
  const before = earliestMs === undefined ? 0 : atMs - earliestMs
  const after = latestMs === undefined ? 0 : latestMs - atMs
  if (Math.max(before, after) < farMs) return
  const parts = [
    before >= farMs ? `${printDuration(before)} older` : undefined,
    after >= farMs ? `${printDuration(after)} newer` : undefined,
  ].filter((part) => part !== undefined)
  const notice = bar.querySelector('#notice')!
  notice.textContent = `Some parts of this page are up to ${parts.join(' or ')} than the page itself: it may never have looked just like this.`
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
