// The page of a volunteer, for its owner alone: what it fetches now, what it has given, its rank, its limits, and a button to stop.
//
// Only from this machine, and only for whoever opened the one-time link that was printed at the start: as the pages of a peer. It is
// plain HTML without scripts; every change is a POST with the cookie from this very origin.

import { ValiError } from 'valibot'
import { OwnerCookie } from '../../api/owner/owner-cookie.ts'
import { OwnerLinks } from '../../api/owner/owner-links.ts'
import type { Release } from '../../network/releases/release.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpAnswer, HttpRequest } from '../../platform/network/http-server.ts'
import type { Random } from '../../platform/random.ts'
import { printBytes, printCount } from '../../ui/markup/amounts.ts'
import { type Html, html } from '../../ui/markup/html.ts'
import type { OwnedLimits, OwnerLimits } from '../../volunteer/owner-limits.ts'
import type { Volunteer } from '../../volunteer/volunteer.ts'

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly volunteer: Volunteer
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
    if (!/^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host)) return text(421, 'This is another host.')
    const [path = ''] = request.target.split('?')
    const code = /^\/open\/([\w-]{1,64})$/.exec(path)?.[1]
    if (code !== undefined && request.method === 'GET') {
      if (!this.#links.redeem(code)) return text(403, 'This link has been used, or is too old.')
      return {
        status: 303,
        headers: [
          ['Location', '/'],
          ['Set-Cookie', this.#cookie.headerFor(request, false)],
        ],
        body: '',
      }
    }
    if (!this.#cookie.isIn(request))
      return text(403, 'Open the link that the volunteer printed when it was started.')
    if (path !== '/') return text(404, 'There is nothing here.')
    if (request.method === 'GET') return page(this.#body())
    if (request.method !== 'POST') return text(405, 'This cannot be done here.')
    if (request.header('origin') !== `http://${host}`) return text(403, 'This came from another page.')
    return this.#change(new URLSearchParams(Buffer.from(await request.body(formBytesMax)).toString()))
  }

  async #change(form: URLSearchParams): Promise<HttpAnswer> {
    try {
      const limits = this.#needs.limits.change(changesIn(form))
      await this.#needs.kept(limits)
      return { status: 303, headers: [['Location', '/']], body: '' }
    } catch (error) {
      if (!(error instanceof ValiError)) throw error
      return text(400, `This is no limit that can be kept: ${error.message}`)
    }
  }

  #body(): Html {
    const { volunteer, limits } = this.#needs
    const { pages, bytes, bundles, pause, now } = volunteer.figures.view()
    const told = volunteer.told()
    const { isStopped } = limits.limits
    const best = told.toSorted((a, b) => a.rank - b.rank)[0]
    const { release } = volunteer
    return html`<h1>Volunteer</h1>
<form method="post"><input type="hidden" name="isStopped" value="${isStopped ? 'no' : 'yes'}"><button class="stop">${isStopped ? 'Go on' : 'Stop'}</button></form>
<p>${pause === undefined ? `Fetches for ${printCount(volunteer.leaders)} peers.` : `Pauses: ${pause}.`}</p>
<dl><dt>pages given</dt><dd>${printCount(pages)}</dd><dt>sent</dt><dd>${printBytes(bytes)}</dd><dt>bundles</dt><dd>${printCount(bundles)}</dd><dt>memory</dt><dd>${printBytes(this.#needs.memoryBytes())}</dd>${best ? html`<dt>rank</dt><dd>${printCount(best.rank)} of ${printCount(best.of)}</dd><dt>score</dt><dd>${best.score.toFixed(2)} (${best.state === 'barred' ? 'shut out' : best.state})</dd>` : ''}</dl>
${release === undefined ? '' : html`<p class="news">Version ${release.version} is out: ${updateAdvice(release)}</p>`}
<h2>Now</h2>
${now.length === 0 ? html`<p>Nothing.</p>` : html`<ul>${now.map(({ href }) => html`<li><code>${href || 'about to begin'}</code></li>`)}</ul>`}
<h2>Limits</h2>
${limitsForm(limits.limits)}`
  }
}

/** What the owner does with it. */
export function updateAdvice({ version }: Pick<Release, 'version'>): string {
  return `stop this volunteer, run npm install --global polyhistor@${version}, and start it again; or start it with --update, then it does so by itself.`
}

function limitsForm(limits: OwnerLimits): Html {
  const { up, down, cpu, hours, pausesOnBattery, isMetered, pausesWhenBusy } = limits
  const box = (name: string, isOn: boolean, label: string) =>
    html`<p><label><input type="checkbox" name="${name}" value="yes"${isOn ? html` checked` : ''}> ${label}</label></p>`
  return html`<form method="post"><input type="hidden" name="form" value="limits">
<p><label>Up, kB a second <input name="up" value="${up === null ? '' : up / 1_000}"></label></p>
<p><label>Down, kB a second <input name="down" value="${down === null ? '' : down / 1_000}"></label></p>
<p><label>Processor, % of a core <input name="cpu" value="${cpu === null ? '' : cpu * 100}"></label></p>
<p><label>Hours, such as 22-6 <input name="hours" value="${hours === null ? '' : `${hours.from}-${hours.to}`}"></label></p>
${box('pausesOnBattery', pausesOnBattery, 'pause on battery')}
${box('isMetered', isMetered, 'this line is paid by the byte: pause')}
${box('pausesWhenBusy', pausesWhenBusy, 'pause when the machine is busy')}
<p><button>Keep</button></p></form>`
}

/** What a form says; the schema checks it. */
function changesIn(form: URLSearchParams): Record<string, unknown> {
  if (form.has('isStopped')) return { isStopped: form.get('isStopped') === 'yes' }
  const amount = (name: string, unit: number) => {
    const written = (form.get(name) ?? '').trim()
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

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}.stop{font-size:2rem;padding:1rem 3rem;background:#a00;color:#fff;border:0;border-radius:.5rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1rem}dd{margin:0}code{overflow-wrap:anywhere}'

function page(body: Html): HttpAnswer {
  const whole = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="10"><title>Volunteer</title><style>${style}</style></head><body>${body}</body></html>`
  return {
    status: 200,
    headers: [['Content-Type', 'text/html; charset=utf-8'], ...safety],
    body: String(whole),
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

function text(status: number, sentence: string): HttpAnswer {
  return {
    status,
    headers: [['Content-Type', 'text/plain; charset=utf-8'], ...safety],
    body: `${sentence}\n`,
  }
}
