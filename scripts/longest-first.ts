// Starts the longest tests first: the last one to start is waited for alone, on one core of several.
//
// vitest knows how long each file took only where it ran before, which no fresh clone did; then it goes by the files' sizes.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those with many processes, then those with some; simulations; the rest. */
const folders = ['e2e/network/', 'e2e/', 'sim/']

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const rank = ({ moduleId }: TestSpecification) => {
      const place = folders.findIndex((folder) => moduleId.startsWith(`${root}/${folder}`))
      return place < 0 ? folders.length : place
    }
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => rank(one) - rank(other))
  }
}
