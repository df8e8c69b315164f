// The year that is shown is seen in the row of years, also where that is longer than the screen; who captured a version is told when asked.

import { tellWhoCaptured } from './captured-by.ts'

tellWhoCaptured()

document.querySelector('.years [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
