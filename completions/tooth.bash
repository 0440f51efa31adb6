# bash completion for tooth, made by "tooth completions bash"; do not edit.
_tooth() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files)
        compopt -o filenames
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$2")
        ;;
      :recipes)
        compopt -o filenames
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "$2"; compgen -f -X '!*.ble' -- "$2")
        ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("$1" __complete bash "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _tooth tooth
