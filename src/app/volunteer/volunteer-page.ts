// The page of a volunteer (ui/screens/volunteer.ts) over HTTP, for its owner alone.
//
// Only from this machine, and only for whoever opened the one-time link that was printed at the start: as the pages of a peer. It is
// plain HTML without scripts; every change is a POST with the cookie from this very origin.

import { ValiError } from 'valibot'
import { OwnerCookie } from '../../api/owner/owner-cookie.ts'
import { OwnerLinks } from '../../api/owner/owner-links.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpAnswer, HttpRequest } from '../../platform/network/http-server.ts'
import type { Random } from '../../platform/random.ts'
import { isLanguage } from '../../ui/language/locale.ts'
import { languageCookie, localeFor } from '../../ui/language/reader-language.ts'
import type { Html } from '../../ui/markup/html.ts'
import { type VolunteerView, volunteerPage } from '../../ui/screens/volunteer.ts'
import { volunteerTexts } from '../../ui/texts/volunteer.ts'
import type { OwnedLimits, OwnerLimits } from '../../volunteer/owner-limits.ts'
import type { Volunteer } from '../../volunteer/volunteer.ts'

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly volunteer: Pick<Volunteer, 'figures' | 'leaders' | 'told' | 'release'>
  readonly limits: OwnedLimits
  /** Of the process, now. */
  memoryBytes(): number
  /** They were changed. */
  kept(limits: OwnerLimits): Promise<void>
}

const formBytesMax = 10_000

export class VolunteerPage {
  readonly #needs: Needs
  readonly #links: OwnerLinks
  readonly #cookie: OwnerCookie

  constructor(needs: Needs) {
    const { clock, random } = needs
    this.#needs = needs
    this.#links = new OwnerLinks({ random, monotonicMs: () => clock.monotonicMs() })
    const secret = Buffer.from(random.bytes(32)).toString('hex')
    this.#cookie = new OwnerCookie({ nowMs: () => clock.nowMs() }, secret)
  }

  /** The path of a link that is good once. */
  newLink(): string {
    return `/open/${this.#links.newCode()}`
  }

  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const host = request.header('host') ?? ''
    // Names of the web that lead here are another's.
    if (!/^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host))
      return say(request, 421, volunteerTexts.otherHost)
    const [path = ''] = request.target.split('?')
    const code = /^\/open\/([\w-]{1,64})$/.exec(path)?.[1]
    if (code !== undefined && request.method === 'GET') {
      if (!this.#links.redeem(code)) return say(request, 403, volunteerTexts.linkSpent)
      return seeOther(['Set-Cookie', this.#cookie.headerFor(request, false)])
    }
    if (!this.#cookie.isIn(request)) return say(request, 403, volunteerTexts.noLink)
    const language = /^\/language\/(\w+)$/.exec(path)?.[1]
    if (isLanguage(language)) return seeOther(['Set-Cookie', languageCookie(language)])
    if (path !== '/') return say(request, 404, volunteerTexts.nothingHere)
    if (request.method === 'GET') return page(request, volunteerPage(this.#view()))
    if (request.method !== 'POST') return say(request, 405, volunteerTexts.notHere)
    if (request.header('origin') !== `http://${host}`) return say(request, 403, volunteerTexts.otherPage)
    const form = new URLSearchParams(Buffer.from(await request.body(formBytesMax)).toString())
    return this.#change(request, form)
  }

  async #change(request: HttpRequest, form: URLSearchParams): Promise<HttpAnswer> {
    try {
      const limits = this.#needs.limits.change(changesIn(form))
      await this.#needs.kept(limits)
      return seeOther()
    } catch (error) {
      if (!(error instanceof ValiError)) throw error
      return say(request, 400, volunteerTexts.noLimit)
    }
  }

  #view(): VolunteerView {
    const { volunteer, limits, memoryBytes } = this.#needs
    const { now, ...figures } = volunteer.figures.view()
    return {
      ...figures,
      now: now.map(({ href }) => href),
      leaders: volunteer.leaders,
      memoryBytes: memoryBytes(),
      best: volunteer.told().toSorted((a, b) => a.rank - b.rank)[0],
      release: volunteer.release?.version,
      limits: limits.limits,
    }
  }
}

/** What a form says; the schema checks it. */
function changesIn(form: URLSearchParams): Record<string, unknown> {
  if (form.has('isStopped')) return { isStopped: form.get('isStopped') === 'yes' }
  const amount = (name: string, unit: number) => {
    const written = (form.get(name) ?? '').trim().replace(',', '.')
    return written === '' ? null : Number(written) * unit
  }
  const [, from, to] = /^(\d{1,2})\s*-\s*(\d{1,2})$/.exec((form.get('hours') ?? '').trim()) ?? []
  return {
    up: amount('up', 1_000),
    down: amount('down', 1_000),
    cpu: amount('cpu', 0.01),
    hours: from === undefined ? null : { from: Number(from), to: Number(to) },
    pausesOnBattery: form.has('pausesOnBattery'),
    isMetered: form.has('isMetered'),
    pausesWhenBusy: form.has('pausesWhenBusy'),
  }
}

const safety: readonly (readonly [string, string])[] = [
  [
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-store'],
]

function page(request: HttpRequest, shown: Html): HttpAnswer {
  return {
    status: 200,
    headers: [['Content-Type', 'text/html; charset=utf-8'], ...safety],
    body: shown.in(localeFor(request)),
  }
}

function say(request: HttpRequest, status: number, sentence: Html): HttpAnswer {
  return {
    status,
    headers: [['Content-Type', 'text/plain; charset=utf-8'], ...safety],
    body: `${sentence.textIn(localeFor(request))}\n`,
  }
}

function seeOther(header?: readonly [string, string]): HttpAnswer {
  return { status: 303, headers: [['Location', '/'], ...(header === undefined ? [] : [header])], body: '' }
}
