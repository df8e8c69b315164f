// The version in package.json, the one place where it is written.

import { readFileSync } from 'node:fs'
import { programFile } from './platform/program-files.ts'

export const version: string = JSON.parse(readFileSync(programFile('../package.json'), 'utf8')).version
