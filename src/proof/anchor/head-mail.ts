// A head of a log as an e-mail (RFC 5322), for whoever keeps mail: put into the pickup folder of a mail server, which sends it.
//
// Only ASCII, lines below 78 characters but for those of hex digits: no encoding is needed, and what was signed can be copied from it.

import { hash } from 'node:crypto'
import { encodeHead, type LogHead } from '../log/log-head.ts'

/** `to`: an address, checked before. */
export function headMail(head: LogHead, publicKey: Uint8Array, to: string): string {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  const { size, signedAtMs, root, signature } = head
  const id = hash('sha256', encodeHead(head), 'hex').slice(0, 32)
  return [
    `Date: ${new Date(signedAtMs).toUTCString().replace('GMT', '+0000')}`,
    `From: ${to}`,
    `To: ${to}`,
    `Message-ID: <${id}@log.polyhistor.invalid>`,
    `Subject: Polyhistor log head, ${size} captures`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=us-ascii',
    'Auto-Submitted: auto-generated',
    '',
    'Keep this message. It shows later whether the log of this peer was rewritten:',
    'ask it for /api/v1/log/consistency (docs/proof.md).',
    '',
    `size      ${size}`,
    `signed at ${signedAtMs}`,
    `root      ${hex(root)}`,
    `signature ${hex(signature)}`,
    `key       ${hex(publicKey)}`,
    '',
  ].join('\r\n')
}
