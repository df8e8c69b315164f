// What the console tells of a site and of its queues, and what can be done to it.

import { writeFields } from '../../crawl/rules/written-rule.ts'
import type { SiteRule } from '../../model/jobs/site-rule.ts'
import type { SiteFacts } from '../../model/survey.ts'
import { plural, printCount } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, nothing } from '../markup/html.ts'
import { jobPath, linksPath, sitePath } from '../markup/links.ts'
import { actionButton, actionChoice, actionField, dangerous } from './action-forms.ts'
import { peerName } from './branches.ts'
import { factList } from './figures.ts'
import { nodeQuery, type QueueNode, type SiteNode } from './node.ts'

interface KnownOfSite {
  /** As its peer tells; undefined when that does not crawl it. */
  readonly facts: SiteFacts | undefined
  readonly rule: SiteRule | undefined
  readonly self: string
  /** The peer that is to crawl it instead of the one that the ring names. */
  readonly placedAt: string | undefined
}

export function siteFacts(node: SiteNode, known: KnownOfSite): Html {
  const { site, peer } = node
  const { facts, rule, self, placedAt } = known
  const heading = html`<h2>${site}</h2><p class="note"><a href="${sitePath(site)}">What is archived</a> · <a href="${linksPath('to', site)}">Who links to it</a> · <a href="/visits?of=${site}">Planned visits</a> · <a href="/admin/stream?site=${site}">Its changes</a></p>`
  const body =
    facts === undefined
      ? html`<p class="trouble">This peer does not crawl it any more.</p>`
      : factList([
          ['state', ruleWords(rule) ?? (facts.isCrawled ? 'crawled' : 'waits for its lease')],
          ['crawled by', peerName(peer, self)],
          ['captures here', `${printCount(facts.captures)}${facts.areCapturesMore ? ' and more' : ''}`],
          ['pages kept fresh', printCount(facts.pages)],
          ['URLs known', printCount(facts.known)],
          ['URLs queued', `${printCount(facts.queued)}${facts.isMore ? ' and more' : ''}`],
          ['hosts', `${printCount(facts.hosts)}${facts.isMore ? ' and more' : ''}`],
          [
            'visits a day',
            facts.visitsPerDay < 10 ? facts.visitsPerDay.toFixed(1) : printCount(facts.visitsPerDay),
          ],
          ['lease', facts.lease && `epoch ${facts.lease.epoch}`],
          ['copies of its frontier', facts.lease && `${facts.copies} of ${facts.lease.members.length}`],
          [
            'members',
            facts.lease?.members.map(
              (member) => html`<span class="member">${peerName(member, self)}</span> `,
            ),
          ],
          ['rule', rule && ruleText(rule)],
          ['placed at', placedAt && peerName(placedAt, self)],
        ])
  return html`${heading}${body}${failingHosts(facts)}${siteActions(node, known)}`
}

/** What holds it back. */
function ruleWords(rule: SiteRule | undefined): string | undefined {
  return rule?.access === 'pause'
    ? 'paused by a rule'
    : rule?.access === 'deny'
      ? 'removed from the crawl by a rule'
      : undefined
}

function ruleText(rule: SiteRule): string {
  return Object.entries(writeFields(rule))
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

function failingHosts(facts: SiteFacts | undefined): Html {
  if (facts === undefined || facts.failing.length === 0) return nothing
  return html`<h3>Cannot be reached</h3><ul class="recent">${facts.failing.map(({ host, reason, untilMs }) => html`<li>${host} <span class="note">${reason}; tried again ${momentElement(untilMs)}</span></li>`)}</ul>`
}

function siteActions(node: SiteNode, known: KnownOfSite): Html {
  const { site } = node
  const { rule } = known
  const shared = { of: { site }, back: nodeQuery(node) }
  const isPaused = rule?.access === 'pause'
  const isDenied = rule?.access === 'deny'
  return html`<h3>Do</h3><div class="console-actions">
<div class="console-buttons">${
    isPaused || isDenied
      ? actionButton({
          action: 'resume',
          label: isPaused ? 'Resume' : 'Crawl it again',
          isPrimary: true,
          ...shared,
        })
      : actionButton({ action: 'pause', label: 'Pause', ...shared })
  }${actionButton({ action: 'reseed', label: 'Crawl it anew', ...shared })}</div>
${actionField(
  { action: 'revisit-every', label: 'Set', ...shared },
  {
    name: 'every',
    label: 'Visit its pages again every',
    placeholder: '1d, 1h-7d or never; empty: as they change',
    value: String((rule && writeFields(rule).fresh) ?? ''),
  },
)}
${isDenied ? nothing : dangerous('Remove it from the crawl', 'Nothing of it is fetched any more, on any peer, and what is found is not queued. What is archived stays, and can be read.', actionButton({ action: 'remove', label: 'Remove', ...shared }))}
${dangerous('Take it down', 'Its captures are hidden at once, on all peers, and destroyed when the time to undo that is over.', actionField({ action: 'take-down', label: 'Take down', ...shared }, { name: 'reason', label: 'Why', placeholder: 'asked for by …' }))}
${moveForm(node, known)}
</div>`
}

/** To another of those who keep it. */
function moveForm(node: SiteNode, { facts, self, placedAt }: KnownOfSite): Html {
  const members = facts?.lease?.members ?? []
  if (members.length < 2 && placedAt === undefined) return nothing
  const of = { site: node.site }
  const form = { action: 'move', label: 'Move', of, back: '' }
  const others = members.filter((member) => member !== node.peer)
  const words = `${plural(members.length, 'peer')} keep this site. The ring names one of them to crawl it; another can do so as well. What is archived stays where it is. When that peer goes away, the one that the ring names goes on.`
  return dangerous(
    'Move it to another peer',
    words,
    html`${others.length === 0 ? nothing : actionChoice(form, { name: 'peer', label: 'Crawled by', options: others.map((member) => [member, peerName(member, self)]) })}${placedAt === undefined ? nothing : actionButton({ ...form, label: 'Leave it to the ring' })}`,
  )
}

export function queueFacts(node: QueueNode): Html {
  const { queue, site } = node
  if (queue === undefined)
    return html`<h2>Pages kept fresh</h2><p>The pages of ${site} that were visited, each with its next visit.</p>`
  return html`<h2>${queue.host}</h2><p>What waits to be fetched from this host for ${queue.job === '' ? 'a crawl that is over' : html`<a href="${jobPath(queue.job)}">this crawl</a>`}, in its order.</p>
<div class="console-actions"><div class="console-buttons">${actionButton({ action: 'deny', label: 'Deny this host', of: { host: hostOf(queue.host) }, back: nodeQuery(node) })}${actionButton({ action: 'allow', label: 'Allow it', of: { host: hostOf(queue.host) }, back: nodeQuery(node) })}</div></div>`
}

/** Without its port: rules are for names. */
function hostOf(authority: string): string {
  return authority.replace(/:\d+$/, '')
}
