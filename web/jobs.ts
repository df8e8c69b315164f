// Crawls as they happen: figures that stay true, and what happened to each URL.

import { happeningWords, pendingWords, shareDone, stateClass, stateOf } from '../src/ui/job-state.ts'
import { printBytes, printCount, printDuration } from '../src/ui/markup/amounts.ts'
import { type Html, html } from '../src/ui/markup/html.ts'
import { briefUrl } from '../src/ui/markup/readable-url.ts'
import { jobStateTexts } from '../src/ui/texts/job-state.ts'
import { say } from './reader.ts'

interface Job {
  readonly id: string
  readonly state: 'running' | 'paused' | 'done'
  readonly ending: string | null
  readonly outcome: 'complete' | 'partly' | 'nothing' | null
  readonly missing: readonly { readonly count: number }[]
  readonly counters: Record<'queued' | 'pending' | 'fetched' | 'failed' | 'refused' | 'bytes', number>
  readonly counts: Record<'new' | 'changed' | 'same', number>
}

interface Happening {
  readonly at: string
  readonly url: string
  readonly outcome: string
  readonly status?: number
  readonly reason?: string
}

const feedLinesMax = 40
const lookMs = 2_000
/** How often the time left is asked for: others may have to be asked for it. */
const leftMs = 10_000
/** How often progress is read out. */
const spokenMs = 15_000

const single = document.querySelector<HTMLElement>('[data-job][data-events]')
if (single === null) void watchList()
else watchOne(single)

function watchOne(element: HTMLElement): void {
  const events = new EventSource(element.dataset.events!)
  let spokenAt = 0
  let missed = 0
  events.addEventListener('progress', ({ data }) => {
    const job: Job = JSON.parse(data)
    show(element, job)
    const isEnd = job.state !== 'running'
    // Reasons come seldom, and the page has the words for them.
    if (job.missing.length !== missed || isEnd) void renew(element)
    missed = job.missing.length
    if (isEnd || performance.now() - spokenAt > spokenMs) {
      spokenAt = performance.now()
      put(
        element,
        'spoken',
        jobStateTexts.spoken({
          state: stateOf(job),
          fetched: job.counters.fetched,
          pending: job.counters.pending,
          pendingWords: pendingWords(job),
        }),
      )
    }
  })
  events.addEventListener('url', ({ data }) => note(element, JSON.parse(data)))
  // What happened between the page and this stream was told to nobody.
  events.addEventListener('open', () => void renew(element))
  const looking = setInterval(() => void tellTimeLeft(element), leftMs)
  void tellTimeLeft(element)
  events.addEventListener('end', () => {
    events.close()
    clearInterval(looking)
    put(element, 'left', jobStateTexts.none)
    void renew(element)
  })
}

/** By how fast the queue got shorter lately. While it grows nobody knows. */
async function tellTimeLeft(element: HTMLElement): Promise<void> {
  const place = element.querySelector<HTMLElement>('[data-details]')
  if (place === null || document.hidden) return
  const answer = await fetch(place.dataset.details!).catch(() => undefined)
  if (!answer?.ok) return
  const { msLeft }: { msLeft: number | null } = await answer.json()
  put(
    element,
    'left',
    msLeft === null ? jobStateTexts.notKnown : msLeft === 0 ? jobStateTexts.none : printDuration(msLeft),
  )
}

/** What the server alone can tell: which starts are there, and what became of the crawl. */
async function renew(element: HTMLElement): Promise<void> {
  const answer = await fetch(location.href).catch(() => undefined)
  if (!answer?.ok) return
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const part of ['[data-seeds]', '[data-outcome]']) {
    const renewed = page.querySelector(part)
    if (renewed !== null) element.querySelector(part)?.replaceWith(renewed)
  }
}

/** A list is looked at now and then, as long as something in it is under way. */
async function watchList(): Promise<void> {
  while (document.querySelector('[data-job] .state.running') !== null) {
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    if (document.hidden) continue
    const answer = await fetch('/api/v1/jobs').catch(() => undefined)
    if (!answer?.ok) continue
    const { jobs }: { jobs: Job[] } = await answer.json()
    for (const job of jobs) {
      const element = document.querySelector<HTMLElement>(`[data-job="${CSS.escape(job.id)}"]`)
      if (element !== null) show(element, job)
    }
  }
}

function show(element: HTMLElement, job: Job): void {
  const { counters, counts } = job
  put(element, 'state', stateOf(job))
  element.querySelector('[data-value="state"]')!.className = stateClass(job)
  const controls = element.querySelector('[data-controls]')
  if (controls !== null) controls.className = `job-controls ${job.state}`
  const again = element.querySelector('[data-again]')
  if (again !== null) again.className = `job-again ${job.state}`
  for (const name of ['fetched', 'pending', 'failed', 'refused'] as const)
    put(element, name, printCount(counters[name]))
  for (const name of ['new', 'changed', 'same'] as const) put(element, name, printCount(counts[name]))
  put(element, 'bytes', printBytes(counters.bytes))
  put(element, 'pending-words', pendingWords(job))
  const progress = element.querySelector('progress')!
  progress.value = shareDone(job)
  progress.className = job.outcome ?? ''
}

function put(element: HTMLElement, name: string, words: Html): void {
  const text = say(words)
  const place = element.querySelector(`[data-value="${name}"]`)
  if (place !== null && place.textContent !== text) place.textContent = text
}

function note(element: HTMLElement, { at, url, outcome, status, reason }: Happening): void {
  const feed = element.querySelector('[data-value="feed"]')!
  feed.closest('section')!.hidden = false
  const line = document.createElement('li')
  const isKept = outcome === 'new' || outcome === 'changed' || outcome === 'same'
  line.append(worded(outcome), isKept ? linked(at, url) : urlOf(url))
  const more = [status === undefined || status === 200 ? '' : String(status), reason ?? ''].filter(Boolean)
  if (more.length > 0) line.append(spanOf('note', more.join(', ')))
  feed.prepend(line)
  while (feed.children.length > feedLinesMax) feed.lastElementChild!.remove()
  if (isKept) markSeed(element, at, url)
}

/** The page that was asked for is there: it can be read before the rest has come. */
function markSeed(element: HTMLElement, at: string, url: string): void {
  const seed = element.querySelector<HTMLElement>(`[data-seed="${CSS.escape(url)}"]`)
  seed?.replaceChildren(linked(at, url), spanOf('note', say(jobStateTexts.capturedNow)))
}

function linked(at: string, url: string): HTMLAnchorElement {
  const link = document.createElement('a')
  link.href = `/web/${at.replace(/\D/g, '').slice(0, 14)}/${url}`
  link.append(urlOf(url))
  return link
}

function urlOf(url: string): HTMLElement {
  const element = document.createElement('bdi')
  element.className = 'url'
  element.textContent = briefUrl(url)
  element.title = url
  return element
}

function worded(outcome: string): HTMLElement {
  return spanOf(
    `outcome ${outcome.replace(/[^a-z-]/g, '')}`,
    say(happeningWords[outcome] ?? html`${outcome}`),
  )
}

function spanOf(className: string, text: string): HTMLElement {
  const span = document.createElement('span')
  span.className = className
  span.textContent = text
  return span
}
