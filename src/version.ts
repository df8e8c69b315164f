// The version in package.json, the one place where it is written.

import { readFileSync } from 'node:fs'

export const version: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version
