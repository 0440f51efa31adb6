# bash completion for tooth, made by "tooth completions bash"; do not edit.
_tooth() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "run resume do read write watch info repl runs check fmt explain scan adapters adapter disconnect keeper service doctor test air help completions version" -- "$current"))
    return
  fi
  case $before in
    --controller) COMPREPLY=($(compgen -W "legacy extended" -- "$current")); return ;;
    --output) COMPREPLY=($(compgen -W "text json csv" -- "$current")); return ;;
    --clock) COMPREPLY=($(compgen -W "real virtual" -- "$current")); return ;;
    --when-unsure) COMPREPLY=($(compgen -W "fail repeat verify skip" -- "$current")); return ;;
    --diagnostics) COMPREPLY=($(compgen -W "text json" -- "$current")); return ;;
    --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
    --state | --capture | --log | --junit | --file) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case ${COMP_WORDS[1]} in
    run) words="--adapter --take --direct --keeper --keep --hold --output --events --csv-escape --raw --time-limit --clock --seed --capture --secret --allow --strict --as --fresh --as-started -e --state --checkpoint-age --checkpoint-sync --wait-lock --quiet --verbose --diagnostics --color --ascii --help" ;;
    resume) words="--adapter --take --direct --keeper --keep --hold --output --events --csv-escape --raw --time-limit --clock --seed --capture --secret --allow --strict --as --as-started --state --checkpoint-age --checkpoint-sync --wait-lock --quiet --verbose --diagnostics --color --ascii --help" ;;
    do) words="--show-recipe --adapter --take --direct --keeper --keep --hold --output --events --csv-escape --raw --time-limit --clock --seed --capture --secret --allow --strict --state --quiet --verbose --diagnostics --color --ascii --help" ;;
    read) words="--bytes --within --show-recipe --adapter --take --direct --keeper --keep --hold --output --events --csv-escape --raw --time-limit --clock --seed --capture --secret --allow --strict --state --quiet --verbose --diagnostics --color --ascii --help" ;;
    write) words="--hex --text --file --without-response --when-unsure --within --show-recipe --adapter --take --direct --keeper --keep --hold --output --events --csv-escape --raw --time-limit --clock --seed --capture --secret --allow --strict --state --quiet --verbose --diagnostics --color --ascii --help" ;;
    watch) words="--count --times --within --show-recipe --adapter --take --direct --keeper --keep --hold --output --events --csv-escape --raw --time-limit --clock --seed --capture --secret --allow --strict --state --quiet --verbose --diagnostics --color --ascii --help" ;;
    info) words="--read --within --show-recipe --adapter --take --direct --keeper --keep --hold --output --events --csv-escape --raw --time-limit --clock --seed --capture --secret --allow --strict --state --quiet --verbose --diagnostics --color --ascii --help" ;;
    repl) words="--adapter --take --direct --keeper --keep --hold --output --events --csv-escape --raw --time-limit --clock --seed --capture --secret --allow --strict --as --fresh --keep-going --state --checkpoint-age --checkpoint-sync --wait-lock --quiet --verbose --diagnostics --color --ascii --help" ;;
    runs) words="show drop --state --output --quiet --verbose --diagnostics --color --ascii --help" ;;
    check) words="--strict --fix --dry-run --quiet --verbose --diagnostics --color --ascii --help" ;;
    fmt) words="--check --quiet --verbose --diagnostics --color --ascii --help" ;;
    explain) words="--color --help" ;;
    scan) words="--adapter --take --direct --keeper --keep --hold --time-limit --output --clock --seed --capture --quiet --verbose --diagnostics --color --ascii --help" ;;
    adapters) words="--output --quiet --verbose --diagnostics --color --ascii --help" ;;
    adapter) words="reset --adapter --take --force --output --quiet --verbose --diagnostics --color --ascii --help" ;;
    disconnect) words="--adapter --all --take --force --output --quiet --verbose --diagnostics --color --ascii --help" ;;
    keeper) words="status run stop --adapter --take --keep --hold --force --output --quiet --verbose --diagnostics --color --ascii --help" ;;
    service) words="status install remove --as --user --no-start --print --output --quiet --verbose --diagnostics --color --ascii --help" ;;
    doctor) words="--state --output --quiet --verbose --diagnostics --color --ascii --help" ;;
    test) words="--name --seed --jobs --kill --chaos --allow --tap --junit --output --quiet --verbose --diagnostics --color --ascii --help" ;;
    air) words="--listen --controller --seed --log --quiet --verbose --diagnostics --color --ascii --help" ;;
    help) words="--color --help" ;;
    completions) words="bash zsh fish --help" ;;
    version) words="--help" ;;
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *)
      case ${COMP_WORDS[1]} in
        run | resume | check | fmt | test | air | help) COMPREPLY=($(compgen -d -S / -- "$current") $(compgen -f -X '!*.ble' -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
      esac
      ;;
  esac
}
complete -o nospace -o filenames -F _tooth tooth
