// Signatures of the Standard Webhooks convention (standardwebhooks.com), version 1 of its symmetric kind: HMAC-SHA256 over id, time and
// body, by a secret that only receiver and sender know.

import { createHmac } from 'node:crypto'
import type { Random } from '../../platform/random.ts'

const prefix = 'whsec_'
const secretBytes = 32

export function newSecret(random: Random): string {
  return prefix + Buffer.from(random.bytes(secretBytes)).toString('base64')
}

/** One for each secret, with spaces between: receivers take any that fits. */
export function signatures(
  secrets: readonly string[],
  message: { readonly id: string; readonly atSeconds: number; readonly body: string },
): string {
  const signed = `${message.id}.${message.atSeconds}.${message.body}`
  return secrets.map((secret) => `v1,${hmac(secret, signed)}`).join(' ')
}

function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return createHmac('sha256', key).update(text, 'utf8').digest('base64')
}
