// The year that is shown is seen in the row of years, also where that is longer than the screen.

document.querySelector('.years [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
