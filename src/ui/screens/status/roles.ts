// Who has which role in the network, and who has said what of roles: for the status page and the console.

import type { RolesStatus } from '../../../model/peer-status.ts'
import { printCount } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'

const peersShown = 100
const saidShown = 50
const standings = { counts: 'holds', pending: 'waits for more signatures', void: 'void' } as const

export function rolesSection(roles: RolesStatus): Html {
  return html`<section aria-labelledby="roles"><h2 id="roles">Roles</h2>${rolesTables(roles)}</section>`
}

export function rolesTables({ peers, revoked, said, settings }: RolesStatus): Html {
  const more = peers.length + revoked.length - peersShown
  const rows = [
    ...peers.map(({ peer, role, sites }) => ({
      peer,
      role,
      sites: sites.length > 0 ? sites.join(', ') : role === 'curator' ? 'all sites' : '',
    })),
    ...revoked.map((peer) => ({ peer, role: 'revoked', sites: '' })),
  ]
  return html`<div class="scroll peers" tabindex="0" role="region" aria-label="Roles of peers"><table><thead><tr><th scope="col">peer</th><th scope="col">role</th><th scope="col">sites</th></tr></thead>
<tbody>${rows.slice(0, peersShown).map(({ peer, role, sites }) => html`<tr><th scope="row"><code title="${peer}">…${peer.slice(-8)}</code></th><td>${role}</td><td>${sites}</td></tr>`)}</tbody></table></div>
${more > 0 ? html`<p class="note">And ${printCount(more)} more: <code>polyhistor network roles</code> has them all.</p>` : nothing}
<p class="note">${settingsWords(settings)}</p>
${said.length === 0 ? nothing : history(said)}`
}

function history(said: RolesStatus['said']): Html {
  return html`<h3>Who said what</h3>
<div class="scroll peers" tabindex="0" role="region" aria-label="Grants and revocations"><table><thead><tr><th scope="col">when</th><th scope="col">who</th><th scope="col">what</th><th scope="col">why</th><th scope="col"><span class="unseen">standing</span></th></tr></thead>
<tbody>${said.slice(0, saidShown).map(({ atMs, author, isFounders, what, reason, standing }) => html`<tr><th scope="row">${momentElement(atMs)}</th><td><code title="${author}">…${author.slice(-8)}</code>${isFounders ? ', with the network’s key' : ''}</td><td>${what}</td><td>${reason}</td><td>${standings[standing]}</td></tr>`)}</tbody></table></div>`
}

function settingsWords({
  threshold,
  takedownSignatures,
  takedownDelayMs,
  jobPagesMax,
}: RolesStatus['settings']): string {
  const delay = takedownDelayMs === 0 ? 'at once' : `after ${Math.round(takedownDelayMs / 60_000)} minutes`
  return [
    threshold > 1
      ? `It takes ${threshold} administrators to name or remove one, and to have what is taken down destroyed.`
      : 'One administrator can name others.',
    takedownSignatures > 1
      ? `A takedown takes ${takedownSignatures} who may, and holds ${delay}.`
      : `A takedown holds ${delay}.`,
    ...(jobPagesMax > 0 ? [`Members begin jobs of at most ${jobPagesMax} pages.`] : []),
  ].join(' ')
}
