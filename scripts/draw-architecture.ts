// `node scripts/draw-architecture.ts` draws docs/images/architecture.svg anew, after folders or their imports have changed.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { architecturePicture } from './architecture-picture.ts'

writeFileSync(join(import.meta.dirname, '../docs/images/architecture.svg'), architecturePicture())
